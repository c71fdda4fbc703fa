#!/bin/sh
# check.sh BUILD [clone]: do the packages run where nothing of ours is? Needs root, debootstrap and a Debian mirror; says the time of each step.
#
#   the tarball  in a folder that has nothing else, not even a C library
#   the .deb     in a bare Debian 12: from the file to the first answer in under 10 s
#   clone        also: from a clone of this repository to the first answer in under 4 minutes, in a bare Debian 12 that has only git
set -eu
build=$(readlink -f -- "$1")
root=$(dirname -- "$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")")
[ "$(id -u)" = 0 ] || { echo "check.sh: needs root, for chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "check.sh: needs debootstrap (Debian: debootstrap)" >&2; exit 2; }
bare=$build/bare.tar # kept, so that a second check is quick
work=$(mktemp -d)
trap 'umount "$work/debian/proc" 2>/dev/null; rm -rf "$work"' EXIT

now() { date +%s%N; }
# timed SENTENCE LIMIT_S COMMAND...: fails where the command does, or takes longer.
timed() {
  sentence=$1 limit=$2
  shift 2
  began=$(now)
  "$@" >"$work/out" 2>&1 || { cat "$work/out"; echo "FAILED: $sentence"; exit 1; }
  took=$((($(now) - began) / 1000000))
  printf 'ok: %s: %d.%03d s (limit %s s)\n' "$sentence" $((took / 1000)) $((took % 1000)) "$limit"
  [ "$took" -le $((limit * 1000)) ] || { echo "FAILED: $sentence took too long"; exit 1; }
}

tarball=$(ls "$build"/packages/ridgeline-*.tar.gz)
mkdir "$work/empty"
tar -C "$work/empty" --strip-components=1 -xzf "$tarball"
timed "the tarball's program answers where there is no other file" 2 chroot "$work/empty" /bin/ridge
timed "and completely" 2 chroot "$work/empty" /bin/ridge why llama-3.1-70b --on hgx-h100 --tp 4 --json
timed "and its manual page is there" 1 test -s "$work/empty/share/man/man1/ridge-why.1"

if [ ! -f "$bare" ]; then
  echo "making a bare Debian 12 (once) ..."
  debootstrap --variant=minbase bookworm "$work/made" >"$work/out" 2>&1 || { tail "$work/out"; exit 1; }
  tar -C "$work/made" -cf "$bare" .
fi
fresh() {
  umount "$work/debian/proc" 2>/dev/null || true
  rm -rf "$work/debian"
  mkdir "$work/debian"
  tar -C "$work/debian" -xf "$bare"
  mount -t proc proc "$work/debian/proc" 2>/dev/null || true
  cp /etc/resolv.conf "$work/debian/etc/resolv.conf"
  if [ -f /etc/apt/apt.conf.d/proxy.conf ]; then cp /etc/apt/apt.conf.d/proxy.conf "$work/debian/etc/apt/apt.conf.d/"; fi
}

fresh
deb=$(ls "$build"/packages/ridgeline_*.deb)
cp "$deb" "$work/debian/ridgeline.deb"
chroot "$work/debian" apt-get -qq update
timed "from the .deb to the first answer" 10 chroot "$work/debian" sh -c \
  'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /ridgeline.deb >/dev/null && ridge'
"$build/ridge" why deepseek-v3 --on hgx-b200 --tp 8 --json >"$work/wanted"
timed "it answers as the built program does" 2 sh -c "chroot '$work/debian' ridge why deepseek-v3 --on hgx-b200 --tp 8 --json | cmp - '$work/wanted'"
timed "manual page and completions are installed" 1 test -s "$work/debian/usr/share/bash-completion/completions/ridge"

[ "${2-}" = clone ] || exit 0
fresh
git clone -q "$root" "$work/debian/ridgeline"
chroot "$work/debian" apt-get -qq update
timed "from a clone to the first answer" 240 chroot "$work/debian" sh -c 'cd /ridgeline && DEBIAN_FRONTEND=noninteractive ./ridge'
