# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.

# How long each fuzz target runs, and those of which packages.
FUZZTIME ?= 60s
FUZZED ?= ./...

# How many times the usual number of random cases test-more draws, and where its files are.
CASES ?= 10
DISK ?= /var/tmp

# The long targets draw new cases each run, and print the seed that draws them again.
NDMAP_SEED ?= random

# How many random arrays and damaged headers fuzz-numpy draws.
ARRAYS ?= 20000
HEADERS ?= 200000

# How often a process is killed while it appends.
KILLS ?= 500

# What must build, beside the machine that runs this, and s390x, where the tests
# always run. The tests of 386 are type-checked: some machines cannot run them.
PLATFORMS := linux/386 linux/arm64 linux/riscv64 linux/ppc64le darwin/amd64 darwin/arm64 \
	freebsd/amd64 openbsd/amd64 netbsd/amd64 windows/amd64 plan9/amd64 js/wasm wasip1/wasm
VETTED := linux/386 darwin/arm64 freebsd/amd64 windows/amd64 js/wasm

# What test-cross runs: 386 as it is, wasm under node, the others under qemu's user mode.
CROSS ?= 386 arm64 riscv64 ppc64le s390x wasm

# qemu's names of processors, where they are not Go's.
QEMU_arm64 := aarch64

# What needs more than this module does, and so is a module of its own; and those that vet and staticcheck look at.
# For Apache Beam both read 600 packages that are not ours.
MODULES := examples/arrow examples/beam examples/gonum examples/parquet examples/view internal/bench internal/kernel/_gen \
	internal/tensors/peer
CHECKED ?= $(MODULES)

.PHONY: help demo test test-race test-purego test-checkptr test-more test-modules check test-cross test-windows golden fuzz fuzz-numpy kill bench bench-random bench-random-purego bench-loop bench-cold
.PHONY: tune insns builds view view-tools test-view test-dask bench-dask long cycles torn attack hostile writers opens follow powerloss
.PHONY: check-fmt check-vet check-staticcheck check-imports check-tidy check-inlining check-builds

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## build bin/npy and show what it does on files by real NumPy
	@mkdir -p bin
	@go build -o bin/npy ./examples/npy
	@sh examples/demo.sh

# The compiler spends a quarter of its time on garbage collection, if it is not told to leave it, and a sixth on what
# debuggers read, which nothing here needs.
FLAGS := $(shell go env GOFLAGS 2>/dev/null)
COMPILE := -dwarf=false
export GOFLAGS = $(FLAGS) '-toolexec=env GOGC=off GOMEMLIMIT=2GiB' '-gcflags=github.com/ndmap/ndmap/...=$(COMPILE)' -ldflags=-w

# Without inlining, package array compiles in two fifths of the time, and there is more to allocate.
test-race test-windows cross-386: COMPILE += -l
ALLOCS := Allocs$$|^TestCopyInPlace$$|^TestFind$$

# -count=1: the test cache does not notice when NumPy comes or goes. -vet=off: check-vet runs vet.
TEST := go test -count=1 -vet=off

# How long a package may take that is emulated, or runs under the race detector. make long sets two hours.
TIMEOUT ?= 20m

test: ## run all tests
	$(TEST) ./...
	@go run ./internal/oracle/where

# What has goroutines, and what computes addresses: with the race detector Go checks each of them.
RACE ?= ./mmap ./array ./array/npz ./array/safetensors ./internal/strided ./examples/follow ./examples/reload ./examples/share

# Loops of one goroutine over millions of elements, for which the race detector takes minutes, and what starts
# processes that have one goroutine each: half an hour, and RACESKIP=nothing has found nothing. make long takes all
# packages.
RACESKIP ?= ^(TestSave|TestTakeCold|TestOwnMapping|TestStack|TestQuantileChanging|TestColdStack|TestColdShortParts|TestNumPyPrint|TestNumPyChains|TestChains|TestReaderAllocates|TestPowerLossAppend|TestPowerLossSave|TestSumShort|TestReductionDecided|TestSettled|TestReaderLarge|TestLoopLetsGo|TestReductionMemory|TestReductionMemoryFreed|TestReductionReversed|TestReductionParts|TestQuantile|TestQuantileMemory|TestPassAllocs|TestFill|TestRecordsNumPy|TestSaveNarrows|TestAttackSwap|TestAttackDenied|TestAttackRead|TestGuardWays|TestAppendLoops|TestPrintLong|TestPrintJSONMemory|TestTiles|TestWriteAllocates|TestSumError|TestBlockLength|TestCompressLengths|TestGrow|TestMeanStd|TestWays|TestAddConverts|TestKill|TestKillSteps|TestCopyOverlap|TestCopyOverlapConverts|TestStackChains|TestGoldenRead|TestReaderFails|TestNewWriterMemory|TestCompressedSize)$$

test-race: ## run the quick tests of what has goroutines under the race detector
	$(TEST) -race -short -timeout $(TIMEOUT) -skip '$(RACESKIP)|$(ALLOCS)' $(RACE)

# What computes addresses, in this module alone: Go's own need not be compiled anew.
CHECKPTR = '-gcflags=github.com/ndmap/ndmap/...=-d=checkptr $(COMPILE)'
ADDRESSES ?= ./internal/kernel ./internal/elem ./internal/strided ./array/npz ./array/safetensors ./mmap

PUREGO ?= ./internal/kernel ./internal/elem ./internal/strided ./array

test-purego: ## run the quick tests without assembly, with Go's check of every address that is computed
	$(TEST) -tags purego $(CHECKPTR) -short $(PUREGO)

test-checkptr: ## run the quick tests of what computes addresses with Go's check of each one
	$(TEST) $(CHECKPTR) -short -timeout $(TIMEOUT) $(ADDRESSES)

PAGE := examples/view/page
DIST := examples/view/static/dist/index.html

view: view-tools $(DIST) ## show FILE=, an array, archive or folder, in the browser; without it, arrays to look at
	@mkdir -p bin
	@cd examples/view && go build -o ../../bin/npyview .
	@if [ -n "$$FILE" ]; then exec bin/npyview -open "$$FILE"; fi; \
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && trap : INT HUP && \
	(cd examples/view && go run ./demo "$$dir") && bin/npyview -open "$$dir"

view-tools:
	@command -v go >/dev/null || { echo "no go: the viewer is written in it; see https://go.dev/dl" >&2; exit 1; }
	@for p in node npm; do command -v $$p >/dev/null || { \
		echo "no $$p, which the page of the viewer is built with: apt-get install nodejs npm, or see https://nodejs.org" >&2; exit 1; }; done

$(PAGE)/node_modules/.package-lock.json: $(PAGE)/package-lock.json
	@cd $(PAGE) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(DIST): $(wildcard $(PAGE)/src/*) $(PAGE)/build.mjs $(PAGE)/tsconfig.json $(PAGE)/node_modules/.package-lock.json
	@cd $(PAGE) && npm run --silent check && npm run --silent build

# How many times the usual number of cases test-view draws.
VIEWED ?= 1

test-view: view-tools $(DIST) ## run the tests of the viewer, examples/view, with its page in a headless Chromium where there is one; with VIEWED=1 times the usual cases
	cd examples/view && NDMAP_CASES=$(VIEWED) $(TEST) -timeout $(TIMEOUT) ./...

test-more: ## run all tests with CASES=10 times as many random cases, and their files on a disk
	TMPDIR=$(DISK) NDMAP_CASES=$(CASES) $(TEST) -timeout 120m ./...

test-modules: ## run the tests of the other modules of their own: Apache Arrow and Beam, gonum, parquet-go, the benchmarks, another implementation of safetensors
	@for dir in $(filter-out examples/view,$(MODULES)); do \
		echo "go test in $$dir"; \
		(cd $$dir && $(TEST) ./...) || exit 1; \
	done

check: check-fmt check-vet check-staticcheck check-imports check-tidy check-inlining check-builds ## format, vet, staticcheck, imports, go.mod, inlining, builds for other systems
	@echo "check: all well"

check-fmt:
	@echo "gofmt"
	@files=$$(gofmt -l .) || exit 1; \
	if [ -n "$$files" ]; then printf 'not formatted; gofmt -w these:\n%s\n' "$$files"; exit 1; fi
	@echo "lines of at most 120 columns"
	@go run ./internal/typecheck/columns

check-vet:
	@echo "go vet, here and in modules of their own, and of the loops without assembly"
	@go vet ./...
	@go vet -tags purego $(CHECKPTR) ./internal/kernel
	@for dir in $(CHECKED); do (cd $$dir && go vet ./...) || exit 1; done

check-staticcheck:
	@echo "staticcheck, here and in modules of their own"
	@go build -modfile=internal/tools/go.mod -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	@for dir in . $(CHECKED); do (cd $$dir && $(CURDIR)/bin/staticcheck ./...) || exit 1; done

check-imports:
	@echo "import graph"
	@go test -count=1 ./internal/imports

check-inlining:
	@echo "what must inline, and what must not be linked"
	@NDMAP_INLINING=1 go test -count=1 -run 'TestInlining|TestLinking' ./index ./array

check-tidy:
	@for mod in $$(find . -name go.mod -not -path '*/testdata/*'); do \
		dir=$$(dirname $$mod); \
		echo "go mod tidy -diff in $$dir"; \
		(cd $$dir && go mod tidy -diff) || exit 1; \
	done

# Compiling takes minutes, most of them for Go's own packages: that is for make builds.
check-builds:
	@go run ./internal/typecheck/builds $(filter-out $(VETTED),$(PLATFORMS))
	@go run ./internal/typecheck/builds -test $(VETTED)

# go vet compiles the tests as well, as far as their types go: once for each system that
# has files of its own.
builds: ## compile for all platforms, and vet for those that have files of their own
	@for p in $(PLATFORMS); do \
		echo "build $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go build ./... || exit 1; \
	done; \
	for p in $(VETTED); do \
		echo "vet $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go vet ./... || exit 1; \
	done

test-cross: $(CROSS:%=cross-%) ## run the quick tests for other processors, big-endian s390x among them

# What runs under qemu, and the tests of it that are left out; and what runs for 386.
EMULATED ?= ./...
SKIP ?= ^$$

NARROW ?= ./...

# Some virtual machines run no 32-bit programs, and under qemu-i386 Go's end with "bad g in signal handler". There go vet
# only type-checks the tests, and a line says so.
cross-386:
	@export GOOS=linux GOARCH=386 CGO_ENABLED=0; dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	echo 'package main; func main() {}' >"$$dir/main.go" && go build -o "$$dir/main" "$$dir/main.go" && \
	if "$$dir/main"; then \
		echo "GOARCH=386 $(TEST) -short -skip '$(SKIP)|$(ALLOCS)' $(NARROW)"; \
		$(TEST) $(CHECKPTR) -short -skip '$(SKIP)|$(ALLOCS)' $(NARROW); \
	else \
		echo "cross-386: this machine runs no 32-bit programs: the tests are only type-checked" >&2; \
		go vet $(NARROW); \
	fi

# What reads golden files on js/wasm. The tests of package array do more there, and take a minute to compile.
READERS ?= ./internal/oracle

# What needs no file to write to: js/wasm maps none.
NODE ?= ./mmap ./index ./dtype ./internal/pylit ./internal/kernel
cross-wasm:
	@command -v node >/dev/null || { echo "test-cross: no node: js/wasm was built only (make check), not run"; exit 0; }; \
	wasm=$$(go env GOROOT)/lib/wasm; echo "GOOS=js GOARCH=wasm go test -count=1 -short -exec $$wasm/go_js_wasm_exec ..."; \
	export GOOS=js GOARCH=wasm CGO_ENABLED=0 NDMAP_NUMPY=; \
	$(TEST) -short -exec $$wasm/go_js_wasm_exec $(NODE) && \
	$(TEST) -short -exec $$wasm/go_js_wasm_exec -run 'GoldenFiles|GoldenRead|ReadErrors' $(READERS)

# NDMAP_QEMU=1 lets tests skip what qemu gets wrong: the addresses of page faults.
cross-%:
	@qemu=$$(command -v qemu-$(or $(QEMU_$*),$*)-static) || { \
		echo "test-cross: no qemu-$(or $(QEMU_$*),$*)-static: apt-get install qemu-user-static" >&2; exit 1; }; \
	echo "NDMAP_QEMU=1 GOOS=linux GOARCH=$* CGO_ENABLED=0 $(TEST) -short -timeout $(TIMEOUT) -skip '$(SKIP)' -exec $$qemu $(EMULATED)"; \
	NDMAP_QEMU=1 GOOS=linux GOARCH=$* CGO_ENABLED=0 $(TEST) -short -timeout $(TIMEOUT) -skip '$(SKIP)' -exec $$qemu $(EMULATED)

insns: ## instructions of arm64 an item that loops take in plain Go and with NEON, counted by qemu; fails where NEON takes over half
	go run ./internal/insns

# NDMAP_DASK=require makes packages that are missing a failure, in place of a skip.
NDMAP_DASK ?= run

# How many random sets of files test-dask reads; 4000, in five minutes, are its long form.
SETS ?= 60

test-dask: ## Dask, zarr and xarray read what npy refs refers to, on a cluster of two processes, as NumPy does
	NDMAP_DASK=$(NDMAP_DASK) NDMAP_DASK_SETS=$(SETS) go test -count=1 -v -timeout 60m -run TestDask ./examples/npy

bench-dask: ## mean of 1 GiB by Dask, NumPy and npy reduce, in turns; needs 1 GiB of disk at TMPDIR
	NDMAP_DASK=bench go test -count=1 -v -timeout 10m -run TestDask ./examples/npy

# What runs under Wine.
WINDOWS ?= ./...

test-windows: ## run the tests as Windows programs, under Wine
	@SKIP='$(SKIP)|$(ALLOCS)' TIMEOUT=$(TIMEOUT) sh internal/wine/test.sh $(WINDOWS)

golden: ## write the golden files again with NumPy; git diff shows what changed
	@python=$$(go run ./internal/oracle/where -path) && $$python internal/oracle/golden.py internal/oracle/testdata
	@git diff --stat -- internal/oracle/testdata

fuzz: ## run every fuzz target for FUZZTIME=60s each
	@sh internal/tools/fuzz.sh $(FUZZTIME) $(FUZZED)

fuzz-numpy: ## random dtypes, arrays and damaged headers, judged by NumPy: the long form of what `make test` does
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_FUZZ_ARRAYS=$(ARRAYS) NDMAP_FUZZ_HEADERS=$(HEADERS) \
		go test -count=1 -v -timeout 120m -run FuzzNumPy ./internal/npy ./array

kill: ## kill a process that appends to files, or edits archives, KILLS=500 times: the long form of what `make test` does
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_KILLS=$(KILLS) go test -count=1 -v -timeout 120m -run TestKill ./array ./array/safetensors
	TMPDIR=$(DISK) NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_KILLS=$(KILLS) go test -count=1 -v -timeout 120m -run TestKill ./array/npz

# How long each attack lasts, in seconds.
ATTACK ?= 60

attack: ## another user attacks what replaces a file, and the folder of the viewer, ATTACK=60 seconds for each way; needs root
	NDMAP_ATTACK=$(ATTACK) go test -count=1 -v -timeout 120m -run 'TestAttack' ./array
	cd examples/view && NDMAP_ATTACK=$(ATTACK) go test -count=1 -v -timeout 120m -run 'TestExchanged' ./internal/source

# How many processes append to one file, how many rows each, and how often that is done.
WRITERS ?= 8
ROWS ?= 500
TIMES ?= 10

writers: ## WRITERS=8 processes append ROWS=500 rows each to one file while others read it, and one is killed; TIMES=10
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_WRITERS=$(WRITERS) NDMAP_ROWS=$(ROWS) \
		go test -count=$(TIMES) -v -timeout 120m -run 'TestManyWriters' ./array

# How often a file is opened while another process appends to it.
OPENS ?= 1000000

opens: ## OPENS=1000000 opens of files that another process appends to, in memory and on a disk
	NDMAP_OPENS=$(OPENS) go test -count=1 -v -timeout 120m -run 'TestOpenWhileAppending' ./array

# How many answers are asked of a file that is torn meanwhile.
ANSWERS ?= 100000

torn: ## ANSWERS=100000 requests of examples/reload while its file is truncated, extended and replaced
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_ANSWERS=$(ANSWERS) go test -count=1 -v -timeout 60m -run TestTorn ./examples/reload

# How many times the usual number of cases hostile draws; from 10 on it takes all shapes, dtypes and values.
HOSTILE ?= 10

hostile: ## run all examples and programs of documents while files are cut and replaced, disks full, and signals come, HOSTILE=10 times as often
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_HOSTILE=$(HOSTILE) go test -count=1 -v -timeout 120m -run TestHostile ./examples

# How many rows are appended in one language and followed in the other.
FOLLOW ?= 100000

follow: ## FOLLOW=100000 rows that Python appends and Go follows, and the other way round; prints the delays
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_FOLLOW=$(FOLLOW) go test -count=1 -v -timeout 60m -run Follow ./examples/follow

powerloss: ## replay power failures with CASES=10 times as many states where not all can be tried
	NDMAP_SEED=$(NDMAP_SEED) NDMAP_NUMPY=require NDMAP_CASES=$(CASES) go test -count=1 -v -timeout 120m -run 'TestPowerLoss' ./array ./array/npz

cycles: ## truncate, open and close files for ever, and work in bounded memory: the long form of what `make test` does
	NDMAP_LONG=1 go test -count=1 -v -timeout 60m -run 'TruncationRace|Cycles|RecoveredPanics|TooManyMappings|GrowRegions|BoundedMemory|HeaderChanges|LargeMember|ModelFloatsEvery' ./dtype ./mmap ./array ./array/npz

long: ## run all of these, two at a time, tests with ten times the cases, and other processors; writes internal/bench/LONG.md
	@sh internal/tools/long.sh

bench: ## the same work in ndmap, NumPy and Go peers, in turns; needs 5 GB of disk
	@cd internal/bench && go run .

# How many works bench-random draws.
WORKS ?= 200

bench-random: ## WORKS=200 random copies, fills, sums and extremes, and as many reductions along axes, in ndmap and NumPy; prints the slowest; SVG=FILE draws all
	@cd internal/bench && go run . -random $(WORKS) -seed $(NDMAP_SEED:random=0) -svg '$(abspath $(SVG))'

bench-random-purego: ## the same for plain Go, which is what processors without AVX2 run
	@cd internal/bench && go run -tags purego . -random $(WORKS) -seed $(NDMAP_SEED:random=0)

bench-loop: ## reductions of a file of 400 MB in memory, in turns with a loop in C that reads it
	@cd internal/bench && go run . -loop 400

# Which changes tune makes: CHANGES='without|elem'.
CHANGES ?= .

# How many works it draws of each kind: 100 are 40 minutes. Only what is smaller than 1 Mi elements is timed.
TUNED ?= 100

tune: ## what each loop of assembly and each constant of tuning is worth for TUNED=100 random works: worst, median, count below 0.95
	@cd internal/bench && go run . -n 3 -tune $(TUNED) -seed $(NDMAP_SEED:random=0) -rows '$(CHANGES)'

# How much memory bench-cold gives to what it measures, in MiB, and how many GB its files have; with COLD=300, works that are drawn.
TIGHT ?= 256
GB ?= 0
COLD ?= -1

bench-cold: ## what works read of files of 800 MB that are not in memory, with TIGHT=256 MiB; as root, on Linux, on a disk at TMPDIR
	@cd internal/bench && go run . -tight $(TIGHT) -cold $(GB) -random $(COLD) -seed $(NDMAP_SEED:random=0)

# How many changes, in which packages; SEED draws others. With CHANGED=REV, of the lines that
# differ from a revision.
MUTANTS ?= 60
MUTATE ?= ./array ./array/npz ./array/safetensors ./internal/tensors ./mmap ./dtype ./index ./internal/elem ./internal/strided ./internal/reduce ./internal/kernel \
	./internal/npy ./internal/pylit ./internal/render ./internal/zipfile ./internal/atomicfile ./internal/nearest ./internal/descr
SEED ?= 1

.PHONY: mutate
mutate: ## make small changes to a copy of the code, and print those that all tests pass; CHANGED=REV draws from the lines that differ from REV
	@GOFLAGS="$$GOFLAGS '-toolexec=env GOGC=off GOMEMLIMIT=2GiB'" go run ./internal/mutate -n $(MUTANTS) -seed $(SEED) $(if $(CHANGED),-changed $(CHANGED),$(MUTATE))
