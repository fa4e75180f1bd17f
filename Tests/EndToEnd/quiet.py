# SPDX-License-Identifier: Apache-2.0
"""Which tests may run a second time, and how many of them.

The tests of `QUIET` judge sound that PulseAudio mixes in real time, which a busy machine delays. Each runs alone, before the
others. The list only shrinks: a test of exact samples belongs to the `written` output, whose clock waits for the machine. No
other test runs again: one that fails has found something, at least about itself.
"""

import pytest

# How many tests of `QUIET` may run again. The run fails when more did.
MOST = 2

# Test -> reason.
QUIET: dict[str, str] = {
    "test_audio_exact.py::test_the_sink_gets_what_mpg123_decodes": "the one exact comparison of MPEG audio behind PulseAudio",
    "test_channels.py::test_six_channels_are_six_at_once": "an exact comparison of six channels, which only a sink has",
    "test_channels.py::test_six_channels_after_stereo_and_stereo_after_six": "as above, and the time between two streams",
    "test_listening.py::test_on_the_way_to_headphones_nothing_is_lost": "samples of two sinks are laid end to end",
    "test_listening.py::test_the_seam_between_two_devices_repeats_and_loses_nothing": "as above",
    "test_announcements.py::test_the_music_is_ducked_and_comes_back": "the phase of a sine runs through; a late mixer moves it",
    "test_sfx.py::test_fifty_requests_at_once": "as above, with fifty streams",
    "test_in_step.py::test_both_are_heard_within_five_milliseconds": "two streams are compared to 5 ms; a late mixer moves one of them",
    "test_players.py::test_two_players_on_two_sinks_each_only_there": "an exact comparison of two sinks",
    "test_session.py::test_measurement_leaves_the_sound_as_it_is": "an exact comparison in the mode that has the sink process nothing",
}

assert len(QUIET) <= 10


def name(nodeid: str) -> str:
    """Without parameters."""
    return nodeid.partition("[")[0]


def pytest_collection_modifyitems(config, items):
    for item in items:
        if name(item.nodeid) in QUIET:
            item.add_marker(pytest.mark.quiet)
            item.add_marker(pytest.mark.flaky(reruns=1))


def too_many_reruns(config) -> str | None:
    """The tests that ran again, when these are more than may."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return None
    again = {name(report.nodeid) for report in reporter.getreports("rerun")}
    return f"{len(again)} tests ran again, {MOST} may: {', '.join(sorted(again))}" if len(again) > MOST else None


def pytest_sessionfinish(session):
    if session.exitstatus == pytest.ExitCode.OK and too_many_reruns(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    if text := too_many_reruns(config):
        terminalreporter.write_line(text, red=True)
