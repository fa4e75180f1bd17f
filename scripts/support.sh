# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: packages, messages and common steps.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the lists are used by the sourcing scripts

build_packages=(
    libmicrohttpd-dev libwebsockets-dev libmpg123-dev libpulse-dev libsoxr-dev libsndfile1-dev libsqlite3-dev
    libcurl4-openssl-dev libexpat1-dev libsystemd-dev libavcodec-dev libavformat-dev libavutil-dev libswresample-dev
    libswscale-dev libseccomp-dev pkg-config
)
# Loaded by the running server on demand: speed, pitch and measured loudness.
run_packages=(libsoundtouch1 libebur128-1)
test_packages=(
    pulseaudio pulseaudio-utils lame sox ffmpeg mpg123 musepack-tools python3 python3-venv chromium chromium-headless-shell nginx
    icecast2 dbus-daemon libglib2.0-bin playerctl pipewire pipewire-pulse wireplumber
)
container_packages=(debootstrap iproute2 util-linux curl)
bench_packages=(pulseaudio pulseaudio-utils lame mpg123 ffmpeg dbus-daemon mpd mpc sox libsox-fmt-mp3 wrk gcc python3 python3-venv)

# Builds the given products, by default both, for release with Swift's libraries inside. Not all targets: the tests' shared
# ones need Testing, which a release build does not find.
build_release() {
    local product
    [ $# -gt 0 ] || set -- tonearm tonearm-media-worker
    for product in "$@"; do
        # At a terminal the compiler would get another flag (for colours) and build everything again. `|| return`, because
        # `set -e` has no effect in a step whose status is tested.
        swift build -c release --static-swift-stdlib --no-color-diagnostics --product "$product" || return
    done
}

# Passes on the warnings and errors of `swift build`. A terminal shows the number of the present step.
show_build() {
    local line clear=
    [ ! -t 1 ] || clear=$'\r\033[K'
    while IFS= read -r line; do
        case $line in
            '['[0-9]*/[0-9]*']'*) [ -z "$clear" ] || printf '%s%s]' "$clear" "${line%%]*}" ;;
            'Building for '* | 'Build of product '* | *'prohibited flag(s)'*) ;;
            *) printf '%s%s\n' "$clear" "$line" ;;
        esac
    done
    printf '%s' "$clear"
}

say() { printf '==> %s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Installed by that name, or provided by an installed package ("a, b (= 1.2)"). Reads all input: with pipefail, a reader that
# stops early makes the writer fail.
is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c 1-2)" = ii ] ||
        dpkg-query -W -f '${db:Status-Abbrev}, ${Provides}\n' 2>/dev/null | sed -n 's/^ii *, //; T; s/([^)]*)//g; p' |
        tr ', ' '\n\n' | grep -xF -- "$1" >/dev/null
}

policy_file=/usr/sbin/policy-rc.d

# apt-get install, with the prefix as_root. The tests start nginx and icecast2 themselves, so the services of these packages are
# not started, unless the machine has its own policy-rc.d.
install_packages() {
    local command=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@")
    if [ -e "$policy_file" ]; then
        "${command[@]}"
        return
    fi
    (
        trap '"${as_root[@]}" rm -f "$policy_file"' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        # 101: the action is forbidden (Debian's invoke-rc.d(8)).
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy_file" >/dev/null
        "${as_root[@]}" chmod 755 "$policy_file"
        "${command[@]}"
    )
}

# Installs the missing ones of the given Debian packages; asks for root only if some are missing.
install_missing() {
    local missing=() package as_root=()
    command -v dpkg-query >/dev/null || fail "this script knows Debian and Ubuntu only; install yourself: $*"
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "installing ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "needs root (no sudo here): apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    install_packages "${missing[@]}"
    for package in "${missing[@]}"; do
        case $package in
            # Not at the next boot either.
            nginx | icecast2 | mpd)
                ! command -v systemctl >/dev/null || "${as_root[@]}" systemctl disable --quiet "$package" ||
                    say "$package may start as a service of this machine: systemctl disable $package"
                ;;
        esac
    done
}

require_swift() {
    local needed=6.2 found advice="https://www.swift.org/install/linux/"
    command -v swift >/dev/null || fail "Swift $needed or later is needed: $advice"
    found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
    [ "$(printf '%s\n' "$needed" "$found" | sort -V | sed -n 1p)" = "$needed" ] ||
        fail "Swift $needed or later is needed, this is ${found:-one that does not tell its version}: $advice"
}

# A Python environment for the end-to-end tests, rebuilt when their requirements change.
make_venv() {
    local list=Tests/EndToEnd/requirements.txt venv=.build/venv
    if ! cmp -s "$list" "$venv/installed.txt"; then
        say "making the Python environment in $venv"
        python3 -m venv "$venv"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list"
        cp "$list" "$venv/installed.txt"
    fi
}

# A Python environment for the Home Assistant integration's tests, rebuilt when their requirements change. Home Assistant's
# constraints, which are inside its wheel, keep pip from trying versions for many minutes.
make_home_assistant_venv() {
    local list=integrations/home-assistant/requirements-test.txt venv=.build/home-assistant-venv
    if ! cmp -s "$list" "$venv/installed.txt"; then
        say "making the Python environment in $venv"
        python3 -m venv "$venv"
        local pip=("$venv/bin/python" -m pip --quiet --disable-pip-version-check) constraints=homeassistant/package_constraints.txt
        "${pip[@]}" download --no-deps --dest "$venv/wheel" "$(grep ^homeassistant== "$list")"
        python3 -m zipfile -e "$venv"/wheel/homeassistant-*.whl "$venv/wheel"
        "${pip[@]}" install -r "$list" -c "$venv/wheel/$constraints"
        rm -rf "$venv/wheel"
        cp "$list" "$venv/installed.txt"
    fi
}
