#!/bin/sh
# The mail systems of tests/mta.rs. Nothing is installed: the packages that this machine lacks, libraries included, are
# downloaded and lie under the target directory; the tests unpack them into a root of their own, in memory.
set -u
mta="${CARGO_TARGET_DIR:-target}/mta"
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
    echo "tests: no apt-get and dpkg here: the tests with Postfix, Exim, Dovecot and mail programs will be skipped"
    exit 0
fi
root=""
[ "$(id -u)" = 0 ] || root="sudo -n"

fetch() ( # folder packages…
    folder="$mta/$1"
    shift
    [ "$(cat "$folder/complete" 2>/dev/null)" = "$*" ] && exit 0
    rm -rf "$folder"
    mkdir -p "$folder" && cd "$folder" || exit 1
    wanted=$(apt-get install -s --no-upgrade --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p')
    [ -n "$wanted" ] || dpkg -s "$@" >/dev/null 2>&1 || exit 1
    # shellcheck disable=SC2086
    [ -z "$wanted" ] || apt-get download -q $wanted >/dev/null 2>&1 || exit 1
    echo "$*" >complete
)
both() {
    fetch "$@" || { $root apt-get update -qq >/dev/null 2>&1; fetch "$@"; } ||
        echo "tests: $1 could not be downloaded: its test will be skipped"
}
both postfix postfix iproute2
both exim exim4-daemon-light iproute2
both dovecot dovecot-imapd dovecot-lmtpd iproute2 openssl
both programs swaks msmtp s-nail iproute2
