# `make demo` and `make test` are all that a newcomer needs. `make help` lists the remaining targets.
# Variables are set on the command line: `make fuzz FUZZTIME=10s`. The scripts in internal/tools describe their variables.

.PHONY: help demo test check view view-tools test-view bench fuzz golden mutate long release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+%?:.*## / { sub("%", "NAME", $$1); printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## build bin/npy and demonstrate it on files written by NumPy
	@mkdir -p bin
	@go build -o bin/npy ./examples/npy
	@sh examples/demo.sh

# -count=1: the test cache does not notice when NumPy is installed or removed. -vet=off: make check runs vet.
test: ## run all tests
	go test -count=1 -vet=off ./...
	@go run ./internal/oracle/where

test-%: ## run the tests of PACKAGES in another way: race purego checkptr 386 arm64 riscv64 ppc64le s390x wasm windows more modules dask view list; list prints the tests that each leaves out
	@sh internal/tools/test.sh $* $(PACKAGES)

check: ## format, vet, staticcheck, imports, go.mod, inlining, types on other systems
	@sh internal/tools/check.sh

check-%: ## run one of these checks: fmt vet staticcheck imports tidy inlining builds
	@sh internal/tools/check.sh $*

PAGE := examples/view/page
DIST := examples/view/static/dist/index.html

view: view-tools $(DIST) ## show FILE=, an array, archive or folder, in the browser; without FILE, show sample arrays
	@mkdir -p bin
	@cd examples/view && go build -o ../../bin/npyview .
	@if [ -n "$$FILE" ]; then exec bin/npyview -open "$$FILE"; fi; \
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && trap : INT HUP && \
	(cd examples/view && go run ./demo "$$dir") && bin/npyview -open "$$dir"

view-tools:
	@command -v go >/dev/null || { echo "go not found: building the viewer needs it; see https://go.dev/dl" >&2; exit 1; }
	@for p in node npm; do command -v $$p >/dev/null || { \
		echo "$$p not found: building the page of the viewer needs it; apt-get install nodejs npm, or see https://nodejs.org" >&2; exit 1; }; done

$(PAGE)/node_modules/.package-lock.json: $(PAGE)/package-lock.json
	@cd $(PAGE) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(DIST): $(wildcard $(PAGE)/src/*) $(PAGE)/build.mjs $(PAGE)/tsconfig.json $(PAGE)/node_modules/.package-lock.json
	@cd $(PAGE) && npm run --silent check && npm run --silent build

test-view: view-tools $(DIST)
	@sh internal/tools/test.sh view

bench: ## time the same work in ndmap, NumPy and other Go libraries, in turns; needs 5 GB of disk
	@cd internal/bench && go run .

bench-%: ## run one more benchmark: random random-purego loop tune cold dask insns
	@sh internal/tools/bench.sh $*

fuzz: ## run every fuzz target for FUZZTIME=60s each
	@sh internal/tools/fuzz.sh $(or $(FUZZTIME),60s) $(or $(PACKAGES),./...)

golden: ## write the golden files again with NumPy; git diff shows the changes
	@python=$$(go run ./internal/oracle/where -path) && $$python internal/oracle/golden.py internal/oracle/testdata
	@git diff --stat -- internal/oracle/testdata

# MUTATE lists the packages that mutate changes, unless CHANGED is set.
MUTATE ?= ./array/... ./internal/tensors ./mmap ./dtype ./index ./internal/elem ./internal/strided ./internal/reduce ./internal/kernel \
	./internal/npy ./internal/pylit ./internal/render ./internal/zipfile ./internal/atomicfile ./internal/nearest ./internal/descr \
	./internal/sorting ./internal/fetch ./internal/nd

mutate: ## make MUTANTS=60 random changes to a copy of the code (SEED=1), and print the changes that no test notices; CHANGED=REV changes only lines that differ from REV
	@go run ./internal/mutate -n $(or $(MUTANTS),60) -seed $(or $(SEED),1) $(if $(CHANGED),-changed $(CHANGED),$(MUTATE))

long: ## run all parts of long-NAME, tests with ten times the cases, and other processors, two at a time; writes internal/bench/LONG.md
	@sh internal/tools/long.sh

long-%: ## run one part of make long: attack builds cycles follow fuzz-numpy hostile kill opens powerloss torn writers
	@sh internal/tools/long.sh -part $*

release: ## build npy for Linux, macOS and Windows in dist, with SHA256SUMS and the message of the tag; VERSION=v0.1.0 refuses any other version
	@go run ./internal/release $(if $(VERSION),-version $(VERSION))
