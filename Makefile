# Short names for what developers run; the work is in CMakePresets.json, ./ridge and ./test.
JOBS := $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.ipp' '*.cu')
SCRIPTS = ridge test .ci/run tools/packages/install.sh $(shell git ls-files '*.sh')
# ./ridge and ./test take the same lock, so that one build folder has one builder at a time.
LOCKED = mkdir -p build && flock build/.lock

.PHONY: help configure build web test bench lint format soak fuzz clean program page deb tarball check-packages docs

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

configure:
	@$(LOCKED) cmake --preset release -DRIDGE_TESTS=ON

build: configure ## everything, release
	@$(LOCKED) cmake --build --preset release --parallel $(JOBS)

web: configure ## the board: one page with the engine inside, build/release/board.html
	sh web/build.sh build/release

test: ## every test, release and sanitizers (./test --quick: release only, without the slowest)
	./test

bench: configure ## build and run the benchmarks
	@$(LOCKED) cmake --build --preset release --target ridge_bench --parallel $(JOBS)
	build/release/ridge_bench

lint: ## formatting, static analysis and shell scripts, with the tools that are installed
	@if command -v clang-format >/dev/null; then \
	  echo clang-format; echo $(SOURCES) | xargs -r clang-format --dry-run -Werror; \
	else echo "skipped: clang-format is not installed (Debian: clang-format)"; fi
	@if command -v cppcheck >/dev/null; then \
	  echo cppcheck; echo $(filter src/% apps/cli/% tools/% examples/%,$(filter %.cpp,$(SOURCES))) | xargs -r cppcheck -q -j $(JOBS) --std=c++20 --language=c++ -I src \
	    --enable=warning,performance,portability --inline-suppr --suppress=missingInclude --suppress=internalAstError --error-exitcode=1; \
	elif command -v clang-tidy >/dev/null && [ -f build/release/compile_commands.json ]; then \
	  echo clang-tidy; echo $(filter %.cpp,$(SOURCES)) | xargs -r clang-tidy -p build/release --quiet; \
	else echo "skipped: neither cppcheck nor clang-tidy with a build is here (Debian: cppcheck)"; fi
	@if command -v shellcheck >/dev/null; then \
	  echo shellcheck; shellcheck -x $(sort $(SCRIPTS)); \
	else echo "skipped: shellcheck is not installed (Debian: shellcheck)"; fi

format: ## rewrite the tracked C++ with clang-format 14
	@echo $(SOURCES) | xargs -r clang-format -i

soak: build ## 20,000 cases of each property, every fault, every hostile try; all tests and checks sanitized; threads
	RIDGE_SOAK=1 RC_PARAMS="max_success=20000" ctest --preset release -L 'soak|property' --verbose
	@$(LOCKED) cmake --preset asan -DRIDGE_TESTS=ON -DRIDGE_SANITIZE_ALL=ON
	@$(LOCKED) cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS) --exclude-regex '^validation_'
	@$(LOCKED) cmake --preset tsan -DRIDGE_TESTS=ON
	@$(LOCKED) cmake --build --preset tsan --target ridge --parallel $(JOBS)
	RIDGE_ROOT=$(CURDIR) RIDGE_BUILD=$(CURDIR)/build/tsan RIDGE=$(CURDIR)/build/tsan/ridge sh -c 'python3 tests/cli/sweep_test.py && python3 tests/cli/plan_test.py'

# Stops at the first reader that breaks and leaves its input in build/fuzz. What is found goes into tests/fuzz/corpus.
FUZZ_SECONDS ?= 60
FUZZ_READERS ?= measure formula scenario toml entry command training sheet sweep evidence results traces state database safetensors gguf config
# Seeds: real files where there are any, else what is kept in tests/fuzz/corpus.
fuzz_seeds_entry = $(addprefix catalog/,chip model machine engine scaling_law lifecycle tier traffic)
fuzz_seeds_scenario = examples
fuzz_seeds_toml = examples catalog/trainer catalog/client
fuzz_seeds_sweep = examples
fuzz_seeds_sheet = catalog/price
fuzz_seeds_safetensors = tests/fuzz/corpus/json
fuzz_corpora = $(wildcard tests/fuzz/corpus/$(1)) $(fuzz_seeds_$(1))
fuzz: ## libFuzzer over every reader, FUZZ_SECONDS (60) each; needs clang-19
	@$(LOCKED) cmake -S tests/fuzz -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 >/dev/null
	@$(LOCKED) cmake --build build/fuzz --parallel $(JOBS)
	@$(foreach reader,$(FUZZ_READERS),echo "fuzzing: $(reader)" && mkdir -p build/fuzz/found/$(reader) && \
	  build/fuzz/$(reader)_fuzz -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -malloc_limit_mb=256 -rss_limit_mb=2048 -timeout=10 \
	    $(if $(wildcard tests/fuzz/$(reader).dict),-dict=tests/fuzz/$(reader).dict) -artifact_prefix=build/fuzz/$(reader)- \
	    -verbosity=0 -print_final_stats=1 build/fuzz/found/$(reader) $(call fuzz_corpora,$(reader)) && ) true

# The release build without tests: what a package holds needs none of them.
program:
	@. tools/packages/install.sh && install_missing tools/packages/build tools/packages/deb || true
	@$(LOCKED) cmake --preset release
	@$(LOCKED) cmake --build --preset release --target ridge --parallel $(JOBS)

# The page of ridge board. Where it cannot be built it is left out, and that is said.
page: program
	@sh web/build.sh build/release || echo "going on without the board: a package will not have it"

deb: page ## a Debian package, build/release/packages/*.deb
	@cd build/release && cpack -G DEB >packages.log || { cat packages.log; exit 1; }
	@ls build/release/packages/*.deb

tarball: page ## the program with its libraries inside, for other Linux systems
	@$(LOCKED) cmake --build --preset release --target ridge-static --parallel $(JOBS)
	@tools/packages/make_tarball.sh build/release

check-packages: deb tarball ## do both run on a bare Debian 12, and how quickly? Needs root and debootstrap
	tools/packages/check.sh build/release

docs: page ## the documents as a site, build/site/index.html (Debian: mkdocs-material)
	@python3 tools/make_docs.py build/release/ridge build/site

clean: ## remove every build
	rm -rf build
