#!/bin/sh
# Compiles with clang what CMake would have compiled with g++: a launcher, for tests alone (tests/CMakeLists.txt).
#
#   by_clang.sh LAUNCHER... -- g++ ARGUMENT...     runs: LAUNCHER... clang++-19 ARGUMENT..., without what only g++ knows
set -u

launcher=
while [ "$1" != -- ]; do
  launcher="$launcher $1"
  shift
done
shift 2 # and the compiler
count=$#
while [ "$count" -gt 0 ]; do
  case $1 in
    -Wno-restrict) ;;
    --param) # with its value
      shift
      count=$((count - 1))
      ;;
    *) set -- "$@" "$1" ;;
  esac
  shift
  count=$((count - 1))
done
# shellcheck disable=SC2086  # a launcher and its arguments
exec $launcher clang++-19 "$@"
