# SPDX-License-Identifier: Apache-2.0
"""The shared parts of scripts/run and scripts/test: packages, their installation, the version of Swift."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
import yaml

from rig import REPOSITORY, Api, binary, eventually


@pytest.fixture
def shell(tmp_path):
    """Runs lines after scripts/support.sh, with programs of the given text first in the path."""

    def run(lines: str, **programs: str) -> subprocess.CompletedProcess:
        for name, text in programs.items():
            program = tmp_path / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        script = f"set -euo pipefail\n. {REPOSITORY}/scripts/support.sh\npolicy_file={tmp_path}/policy-rc.d\n{lines}"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30,
                              env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})

    return run


@pytest.mark.parametrize("arguments, words", [(("--bogus",), "unknown option --bogus;"), (("a", "b"), "b is a second music folder;")])
def test_aWrongArgument_isNamed(arguments, words):
    result = subprocess.run([REPOSITORY / "scripts/run", *arguments], capture_output=True, text=True, timeout=10)
    assert result.returncode == 2 and result.stderr.splitlines()[-1].startswith(f"error: {words}"), result


# Packages by name, then what the installed ones provide; the last one was removed.
DPKG = """case "$*" in
*Provides*) printf 'ii , \\nii , default-java, nginx-abi-1.22 (= 1), mail-transport-agent\\nrc , gone\\n' ;;
*" chromium") printf 'ii ' ;;
*) exit 1 ;;
esac"""


def test_installedIsWhatHasTheName_orIsProvidedByIt(shell):
    for package, known in [
        ("chromium", True), ("default-java", True), ("nginx-abi-1.22", True), ("mail-transport-agent", True),
        ("java", False), ("mail", False), ("nginx", False), ("gone", False)]:
        assert (shell(f"is_installed {package}", dpkg_query=DPKG).returncode == 0) == known


def test_noServiceOfThePackagesIsStarted(shell, tmp_path):
    """A rule that forbids it holds while they are installed, and no longer."""
    apt = f'echo "$*" >> {tmp_path}/calls; [ "$1" = update ] || {{ {tmp_path}/policy-rc.d nginx start; echo "$?" > {tmp_path}/verdict; }}'
    result = shell("as_root=(); install_packages nginx icecast2", apt_get=apt)
    assert result.returncode == 0, result
    assert (tmp_path / "verdict").read_text().strip() == "101"
    assert "nginx icecast2" in (tmp_path / "calls").read_text()
    assert not (tmp_path / "policy-rc.d").exists()


def test_theRuleGoesAlsoWhenTheInstallationFails(shell, tmp_path):
    result = shell("as_root=(); install_packages nginx", apt_get="exit 100")
    assert result.returncode == 100 and not (tmp_path / "policy-rc.d").exists()


def test_theMachinesOwnRuleStays(shell, tmp_path):
    own: pathlib.Path = tmp_path / "policy-rc.d"
    own.write_text("#!/bin/sh\nexit 0\n")
    assert shell("as_root=(); install_packages nginx", apt_get="exit 0").returncode == 0
    assert own.read_text() == "#!/bin/sh\nexit 0\n"


def test_anOlderSwiftIsRefused_byItsVersion(shell):
    for told, fits in [
        ("Swift version 6.2 (swift-6.2-RELEASE)", True), ("Swift version 6.2.1 (swift-6.2.1-RELEASE)", True),
        ("Apple Swift version 6.10-dev (LLVM)", True), ("Swift version 6.1.3 (swift-6.1.3-RELEASE)", False),
        ("Swift version 5.10 (swift-5.10-RELEASE)", False), ("no version at all", False)]:
        result = shell("require_swift", swift=f"echo '{told}'")
        assert (result.returncode == 0) == fits, result
        assert fits or "6.2 or later" in result.stderr


def test_theBuildHasTheSameFlags_whereverItsOutputGoes(shell):
    """At a terminal Swift would add one, and build everything again."""
    built = shell("build_release tonearm", swift='echo "$*"').stdout.strip()
    assert built == "build -c release --static-swift-stdlib --no-color-diagnostics --product tonearm"


def test_aBuildShowsItsWarnings_andNotItsSteps(shell):
    lines = ["[1/5] Write swift-version--1AB2.txt", "a.swift:1:2: warning: unused", " 1 | let a = [1/2]", "[5/5] Linking tonearm",
             "warning: 'x': prohibited flag(s): -I/y", "Build of product 'tonearm' complete! (0.2s)", "error: fatalError"]
    result = shell("build_release tonearm 2>&1 | show_build", swift="\n".join(f'echo "{line}"' for line in lines) + "\nexit 1")
    assert result.returncode == 1 and result.stdout.splitlines() == [lines[1], lines[2], lines[6]], result


@pytest.fixture
def run(tmp_path, media):
    """Starts scripts/run with arguments, and returns the process once it serves. Its log is `tmp_path/log`."""
    cards = pathlib.Path("/proc/asound/cards")
    if cards.exists() and "[" in cards.read_text():
        pytest.skip("this machine has a sound card, which would play")
    swift = tmp_path / "swift"
    swift.write_text(f"""#!/bin/sh
case "$*" in
--version) echo "Swift version 6.2" ;;
*--show-bin-path) echo {binary().parent} ;;
esac
""")
    swift.chmod(0o755)
    environment = os.environ | {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "TMPDIR": str(tmp_path),
                                "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment.pop("PULSE_SERVER", None)
    processes = []

    def start(*arguments: str) -> subprocess.Popen:
        with (tmp_path / "log").open("wb") as output:
            processes.append(subprocess.Popen(
                [REPOSITORY / "scripts/run", *arguments, media.root, "--", "--port", "0", "--port-file", tmp_path / "port"],
                env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True))
        eventually(lambda: (tmp_path / "port").exists() and (tmp_path / "port").read_text().strip(), "it serves", 30)
        return processes[-1]

    yield start
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)


def end(process: subprocess.Popen) -> None:
    """As a terminal does: to all of the group."""
    os.killpg(process.pid, signal.SIGINT)
    process.wait(20)


def test_ctrlC_endsTheServer_beforeItsSoundServer(run, tmp_path):
    process = run("--local")
    api = Api(f"http://127.0.0.1:{(tmp_path / 'port').read_text().strip()}")
    api.load("long.mp3")
    api.play()
    api.wait_status("playing")
    end(process)
    log = (tmp_path / "log").read_text()
    assert "signal=2" in log and "warning" not in log, log


def test_theHintForTheLink_hasTheServersSettings(run, tmp_path):
    end(run())
    assert f"link --host 0.0.0.0 --port 0 --port-file {tmp_path}/port\n" in (tmp_path / "log").read_text()


def test_aKilledSoundServer_isNotReportedByTheShell(run, tmp_path):
    process = run("--local")
    (daemon,) = subprocess.run(["pgrep", "-f", f"^pulseaudio .*socket={tmp_path}/"], capture_output=True, text=True).stdout.split()
    os.kill(int(daemon), signal.SIGKILL)
    eventually(lambda: not pathlib.Path(f"/proc/{daemon}").exists(), "it has ended")
    end(process)
    log = (tmp_path / "log").read_text()
    assert " Killed " not in log and "signal=2" in log, log


def test_aKilledServer_isReportedInOneSentence(run, tmp_path):
    process = run("--local")
    (server,) = subprocess.run(["pgrep", "-f", f"tonearm serve .*{tmp_path}/port"], capture_output=True, text=True).stdout.split()
    os.kill(int(server), signal.SIGKILL)
    assert process.wait(20) == 137
    log = (tmp_path / "log").read_text()
    assert " Killed " not in log and "the server was ended by signal 9. Run this again to go on" in log, log


FLICKERS = """import pathlib, pytest

@pytest.mark.parametrize("number", range(5))
def test_{name}(number):
    seen = pathlib.Path(__file__).with_name(f"{name}-{{number}}")
    first = not seen.exists() and number < {failing}
    seen.touch()
    assert not first
"""


@pytest.mark.parametrize(("quiet", "others", "status"), [(2, 0, 0), (3, 0, 1), (0, 1, 1)])
def test_onlyNamedTestsRunTwice_andNotManyOfThem(tmp_path, quiet, others, status):
    """0061: of the tests that need a quiet sound server two may run again, of the others none."""
    folder = REPOSITORY / "Tests/EndToEnd"
    named = [f"quiet{number}" for number in range(3)]
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport quiet\n"
        f"quiet.QUIET = {{f'test_a.py::test_{{name}}': 'a reason' for name in {named}}}\n"
        "from quiet import pytest_collection_modifyitems, pytest_sessionfinish, pytest_terminal_summary\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    quiet: named\n")
    failing = {name: int(number < quiet) for number, name in enumerate(named)} | {"other": others}
    (tmp_path / "test_a.py").write_text("\n".join(FLICKERS.format(name=name, failing=count) for name, count in failing.items()))

    # The other plugins take seconds to load.
    result = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_rerunfailures", str(tmp_path)],
                            capture_output=True, text=True, cwd=tmp_path, timeout=60, env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert result.returncode == status, result.stdout


def test_packages_are_bounded_and_pinned():
    """Issue 10, 1.11 and 3.6: memory, tasks and descriptors have limits, packages their exact versions, and containers find it by its name."""
    service = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())["services"]["tonearm"]
    assert service["hostname"] == "tonearm" and service["read_only"] and service["cap_drop"] == ["ALL"]
    assert {"mem_limit", "pids_limit", "ulimits"} <= set(service) and "no-new-privileges:true" in service["security_opt"]
    unit = set((REPOSITORY / "packaging/tonearm.service").read_text().splitlines())
    settings = {line.partition("=")[0] for line in unit}
    assert {"MemoryMax", "TasksMax", "LimitNOFILE", "SystemCallFilter", "RestrictAddressFamilies", "CapabilityBoundingSet"} <= settings
    assert {"NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateDevices=yes", "MemoryDenyWriteExecute=yes"} <= unit
    packages = re.findall(r"\.package\(.*", (REPOSITORY / "Package.swift").read_text())
    assert packages and all('exact: "' in package for package in packages), packages
    assert (REPOSITORY / "SECURITY.md").exists()
