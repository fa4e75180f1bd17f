# SPDX-License-Identifier: Apache-2.0
"""The rig: a private PulseAudio, what it plays as samples, the real server, and its clients."""

from .api import Api, Problem
from .capture import Capture
from .events import Event, EventLog
from .media import Media
from .origin import Origin
from .pulse import PulseDaemon
from .server import Server
from .waiting import ENDURANCE, PATIENCE, eventually, within

__all__ = ["Api", "Capture", "ENDURANCE", "Event", "EventLog", "Media", "Origin", "PATIENCE", "Problem", "PulseDaemon", "Server", "eventually",
           "within"]
