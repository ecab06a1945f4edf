#!/bin/sh
# Chancery beside other engines, on the same positions in one run. The Python engine is installed if it can be.
set -e
cd "$(dirname "$0")/../.."
sh tests/saved_games.sh
exec "${CARGO:-cargo}" run --release --locked --quiet --manifest-path benches/rivals/Cargo.toml --bin rivals
