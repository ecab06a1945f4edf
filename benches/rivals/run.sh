#!/bin/sh
# Chancery beside other engines, on the same positions in one run. The Python engine is installed if it can be. Not
# --locked: the lock of this package need not follow every new dependency of the judge, and keeps the rivals pinned.
set -e
cd "$(dirname "$0")/../.."
sh tests/saved_games.sh
exec "${CARGO:-cargo}" run --release --quiet --manifest-path benches/rivals/Cargo.toml --bin rivals
