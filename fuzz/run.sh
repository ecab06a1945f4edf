#!/bin/sh
# Runs the fuzz targets one after the other, each for so many seconds: sh fuzz/run.sh SECONDS [TARGET...]. What a target
# finds is left in fuzz/artifacts/TARGET; fuzz/corpus/TARGET is kept from run to run. Needs cargo-fuzz and a nightly
# compiler (HACKING.md). There is no unsafe code to watch over, so no sanitizer slows the targets down.
set -eu
cd "$(dirname "$0")/.."
seconds="${1:-300}"
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- status mail orders map adjudicate adjudicate_stream

# Good inputs to begin with: what the tests have.
seeds() {
    case "$1" in
    status) cp tests/data/status/*.status fuzz/corpus/status/ ;;
    mail) cp tests/data/mail/*.eml fuzz/corpus/mail/ ;;
    map) cp maps/*.map trial/*.map fuzz/corpus/map/ ;;
    orders)
        sed -n 's/.*"lines": \["\([^]]*\)"\].*/\1/p' tests/data/orders/parse-vectors.json | split -l 1 -a 4 - fuzz/corpus/orders/vector.
        ;;
    adjudicate_stream) cat tests/data/cases/standard.jsonl games/*.jsonl | split -l 1 -a 4 - fuzz/corpus/adjudicate_stream/case. ;;
    esac
}

for target; do
    mkdir -p "fuzz/corpus/$target"
    seeds "$target"
    echo "fuzz: $target for $seconds seconds"
    cargo +nightly fuzz run -O -s none "$target" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -max_len=16384 -timeout=30 -rss_limit_mb=4096 -print_final_stats=1
done
