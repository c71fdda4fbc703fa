# Short names for what developers run; the work is in CMakePresets.json, ./ridge and ./test.
JOBS := $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.ipp' '*.cu')
SCRIPTS = ridge test .ci/run tools/packages/install.sh $(shell git ls-files '*.sh')
# ./ridge and ./test take the same lock, so that one build folder has one builder at a time.
LOCKED = mkdir -p build && flock build/.lock

.PHONY: help configure build test bench lint format soak clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

configure:
	@$(LOCKED) cmake --preset release -DRIDGE_TESTS=ON

build: configure ## everything, release
	@$(LOCKED) cmake --build --preset release --parallel $(JOBS)

test: ## every test, release and sanitizers (./test quick: release only)
	./test

bench: configure ## build and run the benchmarks
	@$(LOCKED) cmake --build --preset release --target ridge_bench --parallel $(JOBS)
	build/release/ridge_bench

lint: ## formatting, static analysis and shell scripts, with the tools that are installed
	@if command -v clang-format >/dev/null; then \
	  echo clang-format; echo $(SOURCES) | xargs -r clang-format --dry-run -Werror; \
	else echo "skipped: clang-format is not installed (Debian: clang-format)"; fi
	@if command -v cppcheck >/dev/null; then \
	  echo cppcheck; echo $(filter src/% apps/cli/% tools/%,$(filter %.cpp,$(SOURCES))) | xargs -r cppcheck -q -j $(JOBS) --std=c++20 --language=c++ -I src \
	    --enable=warning,performance,portability --inline-suppr --suppress=missingInclude --suppress=internalAstError --error-exitcode=1; \
	elif command -v clang-tidy >/dev/null && [ -f build/release/compile_commands.json ]; then \
	  echo clang-tidy; echo $(filter %.cpp,$(SOURCES)) | xargs -r clang-tidy -p build/release --quiet; \
	else echo "skipped: neither cppcheck nor clang-tidy with a build is here (Debian: cppcheck)"; fi
	@if command -v shellcheck >/dev/null; then \
	  echo shellcheck; shellcheck -x $(sort $(SCRIPTS)); \
	else echo "skipped: shellcheck is not installed (Debian: shellcheck)"; fi

format: ## rewrite the tracked C++ with clang-format 14
	@echo $(SOURCES) | xargs -r clang-format -i

soak: build ## the property tests, 20,000 cases each
	RC_PARAMS="max_success=20000" ctest --preset release -L 'soak|property' --verbose

clean: ## remove every build
	rm -rf build
