# SPDX-License-Identifier: Apache-2.0
"""The rig: a private PulseAudio, its output as samples, the real server, and its clients."""

from .api import Api, Problem
from .capture import RATE, Capture
from .commandline import CommandLine, tonearm
from .events import Event, EventLog
from .media import Media
from .neighbours import Neighbour
from .origin import Origin
from .pulse import PulseDaemon
from .radio import Icecast, Radio
from .server import REPOSITORY, Server, binary
from .waiting import ENDURANCE, PATIENCE, during, eventually, kept_waiting, within

__all__ = ["ENDURANCE", "PATIENCE", "RATE", "REPOSITORY", "Api", "Capture", "CommandLine", "Event", "EventLog", "Icecast", "Media", "Neighbour",
           "Origin", "Problem", "PulseDaemon", "Radio", "Server", "binary", "during", "eventually", "kept_waiting", "tonearm", "within"]
