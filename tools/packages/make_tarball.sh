#!/bin/sh
# make_tarball.sh BUILD: the static program, its documents, catalog, completions and manual pages, as BUILD/packages/ridgeline-*.tar.gz
set -eu
build=$(readlink -f -- "$1")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=ridgeline-$version-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage/$name" >/dev/null
rm -f "$stage/$name/bin/ridge-mpi"
strip -o "$stage/$name/bin/ridge" "$build/ridge-static"
mkdir -p "$build/packages"
tar --sort=name --owner=0 --group=0 -C "$stage" -czf "$build/packages/$name.tar.gz" "$name"
echo "$build/packages/$name.tar.gz"
