#!/bin/sh
# The Python package that the format of saved games comes from, in a folder of its own beside the build: the tests load
# our exports there and replay them. Where it cannot be had the test says that it was skipped; in CI it fails.
venv="$(dirname "$0")/../target/venv"
has() { "$venv/bin/python3" -c "import diplomacy.utils.export" >/dev/null 2>&1; }
make() {
    python3 -m venv "$venv" >/dev/null 2>&1 &&
        "$venv/bin/python3" -m pip install -q --disable-pip-version-check diplomacy==1.1.2
}
has && exit 0
echo "tests: installing the Python package diplomacy 1.1.2 in target/venv"
mkdir -p "$venv/.."
make && has && exit 0
# Debian keeps the means to make such a folder in a package of its own.
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 &&
    { apt-get install -y -qq python3-venv || { apt-get update -qq && apt-get install -y -qq python3-venv; }; } >/dev/null 2>&1 &&
    make
has || echo "tests: no Python package diplomacy 1.1.2: saved games are not replayed with it"
exit 0
