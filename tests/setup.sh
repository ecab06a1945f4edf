#!/bin/sh
# What the tests need beside the Rust toolchain: installed through apt-get where there is one, named where there is none.
set -u
sh tests/saved_games.sh
sh tests/mta/fetch.sh
missing=""
need() { # command package reason
    if ! command -v "$1" >/dev/null 2>&1; then
        missing="$missing $2"
        echo "tests: $2 is needed: $3"
    fi
}
need cc gcc "the TLS library has parts in C"
need systemd-analyze systemd "the units in cron/ are checked"
need crontab cron "the crontab in cron/ is checked"
need chromium chromium "the pages are opened in a browser"
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "tests: there is no apt-get here; install with your own tools:$missing"
    exit 0
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "tests: neither root nor sudo; install by hand:$missing"
        exit 0
    fi
    sudo=sudo
fi
echo "tests: installing$missing with apt-get"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
