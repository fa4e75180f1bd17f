# SPDX-License-Identifier: Apache-2.0
"""Names and limits that several modules use."""

import logging

DOMAIN = "tonearm"
LOGGER = logging.getLogger(__package__)

# Seconds for an ordinary request; the server answers each command within 1 s.
REQUEST_TIMEOUT = 10
# The response to an announcement comes at its end; the server ends each one after 10 minutes.
ANNOUNCE_TIMEOUT = 660
# The channel counts as lost after this many seconds of silence: a ping after two thirds, its answer within the last third.
PING_INTERVAL = 13.3
# Seconds between two attempts to connect: doubled from the first to the last.
RETRY_FIRST, RETRY_LAST = 0.5, 30.0
REQUESTS_AT_ONCE = 16
# Entries of a folder or list on one browse page, and results of a search.
BROWSE_LIMIT = 500
SEARCH_LIMIT = 20
