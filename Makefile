# chancery: make run, make test.  See README.md.

CARGO ?= cargo
SITE ?= site

.PHONY: run test bench fuzz fmt lint soak setup doc clean

# Builds and runs the main job: a whole game by mail, then the daemon on loopback.
run: setup
	$(CARGO) run --release --locked -- demo --root $(SITE)

# Every test; installs what it needs (tests/setup.sh says what and why). The properties try the same cases every time, so
# that a red run is about the change at hand; plain `cargo test` and `make soak` try new ones.
test: export PROPTEST_RNG_SEED = 19010401
test: setup
	sh tests/setup.sh
	$(CARGO) test --locked --no-fail-fast --lib --bins --tests
	$(CARGO) check --locked --benches
	$(CARGO) test --locked --doc

bench: setup
	$(CARGO) bench --locked
	sh benches/rivals/run.sh

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --locked --all-targets -- -D warnings

# The long form of the crash and fuzz tests.
soak: setup
	CHANCERY_SOAK=1 $(CARGO) test --locked --release --test crash --test demo -- --nocapture

# The fuzz targets, FUZZ seconds each (fuzz/run.sh says what they need).
FUZZ ?= 300
fuzz: setup
	sh fuzz/run.sh $(FUZZ)

setup:
	@command -v $(CARGO) >/dev/null 2>&1 || { echo "make: the Rust toolchain (cargo) is needed: https://rustup.rs"; exit 1; }

clean:
	$(CARGO) clean
