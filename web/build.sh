#!/bin/sh
# Builds the board, where it is missing or older than what it is made of: BUILD/board.html, one page with the engine inside.
#
#   sh web/build.sh BUILD     a build folder that CMake has configured
#
# `make web` and `ridge board` call it. The first time installs what is missing of tools/packages/web, brings the page's own
# tools with npm, and compiles the engine for WebAssembly: some minutes. What it says goes to standard error.
set -u

build=$(readlink -f -- "${1:?usage: web/build.sh BUILD}")
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
page=$build/board.html
cd -- "$root" || exit 1

up_to_date() {
  [ -s "$page" ] || return 1
  [ -z "$(find web/src web/bundle web/index.html web/package-lock.json web/vite.config.ts src apps catalog -newer "$page" 2>/dev/null | head -n 1)" ]
}
up_to_date && exit 0

# shellcheck source=tools/packages/install.sh
. tools/packages/install.sh
install_missing tools/packages/web >&2
for tool in node npm clang++-19 xz; do
  command -v "$tool" >/dev/null && continue
  echo "the board cannot be built: $tool is missing (Debian: $(listed_packages tools/packages/web | tr '\n' ' '))" >&2
  exit 1
done
echo "building the board (first time, some minutes) ..." >&2
cmake "$build" >/dev/null 2>&1 # what was installed is found now
log=$build/board.log
lock=
if command -v flock >/dev/null; then lock="flock build/.lock"; fi
# shellcheck disable=SC2086  # $lock is a command and its argument, or nothing
if ! $lock cmake --build "$build" --target board >"$log" 2>&1 </dev/null; then
  grep -E 'error|FAILED|npm ERR' "$log" | head -n 20 >&2
  echo "the board could not be built; the whole log: $log" >&2
  exit 1
fi
