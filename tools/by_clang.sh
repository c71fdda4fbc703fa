#!/bin/sh
# Compiles with clang what CMake would have compiled with g++: a launcher, for tests alone (tests/CMakeLists.txt).
#
#   by_clang.sh CLANG LAUNCHER... -- g++ ARGUMENT...     runs: LAUNCHER... CLANG ARGUMENT..., without what only g++ knows
set -u

clang=$1
shift
at=launcher
header='' out=''
count=$#
while [ "$count" -gt 0 ]; do # every word is taken from the front, and what stays goes to the end
  word=$1
  shift
  count=$((count - 1))
  case $at in
    launcher)
      case $word in
        --) set -- "$@" "$clang" && at=compiler ;;
        *) set -- "$@" "$word" ;;
      esac
      continue
      ;;
    compiler | dropped) at=arguments && continue ;;
    output) out=$word at=arguments ;;
    *)
      case $word in
        -Wno-restrict) continue ;;
        --param) at=dropped && continue ;;
        c++-header) header=yes ;;
        -o) at=output ;;
      esac
      ;;
  esac
  set -- "$@" "$word"
done
# clang would read an older header of this name while it makes the new one
if [ -n "$header" ] && [ -n "$out" ]; then rm -f -- "$out"; fi
exec "$@"
