#!/bin/sh
# Does ./ridge rebuild exactly when it should, and does it install exactly what is missing?
# Runs copies of the scripts on a stub project without a compiled language, and with stubs for apt-get and dpkg-query.
set -u

source_root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d) || exit 1
work=$(readlink -f -- "$work")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failures=0

# expect SENTENCE EXPECTED ACTUAL
expect() {
  if [ "$2" = "$3" ]; then echo "ok: $1"; return; fi
  failures=$((failures + 1))
  printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
}

# ridge: runs the copy; leaves $code, its output on one line in $out, and the first line of stderr in $err.
ridge() {
  "$project/ridge" >"$work/out" 2>"$work/err"
  code=$?
  out=$(xargs <"$work/out")
  err=$(head -n 1 "$work/err")
}

changed="building ridge (sources changed) ..."
project=$work/project
mkdir -p "$project/tools/packages" "$project/src" "$project/apps" "$project/catalog/chip"
cp "$source_root/ridge" "$source_root/CMakePresets.json" "$project/"
cp "$source_root/tools/packages/install.sh" "$project/tools/packages/"
echo "# nothing to install" >"$project/tools/packages/build"

# The stub's sources are shell commands; its build joins them into one script and fails on the word "broken".
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(stub NONE)
file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/* ${CMAKE_SOURCE_DIR}/catalog/*)
add_custom_target(all_parts ALL DEPENDS ridge)
add_custom_command(OUTPUT ridge DEPENDS ${parts} ${CMAKE_SOURCE_DIR}/apps/join.sh
                   COMMAND sh ${CMAKE_SOURCE_DIR}/apps/join.sh ${parts})
END
cat >"$project/apps/join.sh" <<'END'
if grep -q broken "$@"; then echo "stub: error: broken source"; exit 1; fi
[ ! -f "$SLOW" ] || sleep 0.5
echo built >>builds
{ echo '#!/bin/sh'; cat "$@"; } >ridge && chmod +x ridge
[ ! -f "$EDIT" ] || cp "$EDIT" "$(dirname "$0")/../src/one"
rm -f "$EDIT"
END
echo 'echo one' >"$project/src/one"
echo '[ $# = 0 ] || cat "$@"' >"$project/src/zz_arguments"
SLOW=$work/slow # while it exists, a build takes a while
EDIT=$work/edit # when it exists, the build ends by changing src/one to it
export SLOW EDIT

ridge
expect "the first call builds and says so" "building ridge (first time, a minute or two) ..." "$err"
expect "stdout carries only the program's output" one "$out"
expect "the first configuration leaves the tests out" "RIDGE_TESTS:UNINITIALIZED=OFF" \
  "$(grep '^RIDGE_TESTS' "$project/build/release/CMakeCache.txt")"

ridge
expect "a second call says nothing" "" "$err"
expect "a second call does not build" 1 "$(wc -l <"$project/build/release/builds")"

echo 'echo uno' >"$project/src/one"
ridge
expect "a changed file is built" "$changed uno" "$err $out"

echo 'echo two' >"$project/src/two"
ridge
expect "an added file is built" "$changed uno two" "$err $out"

rm "$project/src/two"
ridge
expect "a deleted file is noticed" "$changed" "$err"

echo 'echo chip' >"$project/catalog/chip/a"
ridge
expect "an added catalog file is built" "$changed chip uno" "$err $out"
rm "$project/catalog/chip/a"

mkdir "$work/elsewhere"
echo content >"$work/elsewhere/a file"
ln -s ../project/ridge "$work/elsewhere/link"
ln -s link "$work/elsewhere/link2"
expect "through a symlink, a relative argument means the caller's folder" "uno content" \
  "$(cd "$work/elsewhere" && ./link2 "a file" 2>/dev/null | xargs)"
expect "stdin reaches the program, even past a build" "uno piped" \
  "$(touch "$project/src/one" && echo piped | "$project/ridge" - 2>/dev/null | xargs)"

echo 'broken' >"$project/src/two"
ridge
expect "a broken source fails with 1 and no output" "1 " "$code $out"
expect "the error is shown" 1 "$(grep -c 'stub: error: broken source' "$work/err")"
ridge
expect "it fails again while the source is broken" 1 "$code"
rm "$project/src/two"
ridge
expect "it recovers" "0 uno" "$code $out"

: >"$SLOW"
rm -rf "$project/build"
"$project/ridge" >"$work/first" 2>&1 &
"$project/ridge" >"$work/second" 2>&1
expect "of two calls at once, the first to come" 0 $?
wait
expect "... builds once" 1 "$(wc -l <"$project/build/release/builds")"
expect "... and both answer" 2 "$(cat "$work/first" "$work/second" | grep -cx uno)"

rm "$SLOW"

touch "$project/src/one"
echo 'echo later' >"$EDIT"
ridge
expect "a file changed during a build" uno "$out"
ridge
expect "... is built by the next call" "$changed later" "$err $out"

mv "$project" "$work/moved"
project=$work/moved
ridge
expect "a moved checkout is built again" "$changed later" "$err $out"

if [ "$(id -u)" != 0 ]; then
  touch "$project/src/one"
  chmod -R a-w "$project"
  ridge
  expect "a read-only checkout runs the last build" "0 later" "$code $out"
  chmod -R u+w "$project"
else
  echo "skipped: a read-only checkout (root may write anywhere)"
fi

# Packages: stub commands record what would be installed; $work/installed is what "dpkg" knows.
stubs=$work/stubs
mkdir "$stubs"
cat >"$stubs/dpkg-query" <<END
#!/bin/sh
shift 3
for p in "\$@"; do grep -qx "\$p" $work/installed && echo "ii  \$p"; done
END
cat >"$stubs/apt-get" <<END
#!/bin/sh
echo "\$*" >>$work/apt-calls
case "\$*" in
  *update*) touch $work/updated ;;
  *) [ -f $work/updated ] || exit 100
     for p in "\$@"; do
       case \$p in unknown) exit 100 ;; alpha | beta | gamma) echo \$p >>$work/installed ;; esac
     done ;;
esac
END
cat >"$stubs/id" <<'END'
#!/bin/sh
echo ${STUB_UID-0}
END
for command in sh env sed tr grep sort tail mktemp rm touch; do ln -s "$(command -v $command)" "$stubs/$command"; done
chmod +x "$stubs/dpkg-query" "$stubs/apt-get" "$stubs/id"

# install PACKAGE...: asks for those on a machine that has alpha; leaves $code, $err and the calls of apt-get.
install() {
  echo alpha >"$work/installed"
  rm -f "$work/apt-calls" "$work/updated"
  { printf '%s  # why\n' "$@"; } >"$work/list"
  err=$(PATH=$stubs sh -c '. "$1"; install_missing "$2"' sh "$source_root/tools/packages/install.sh" "$work/list" 2>&1)
  code=$?
}

install alpha
expect "nothing missing: nothing said, nothing called" "0 " "$code $err$(cat "$work/apt-calls" 2>/dev/null)"
install alpha beta gamma
expect "only what is missing is installed" "0 installing Debian packages: beta gamma" "$code $err"
expect "stale package lists are updated, and it tries again" 3 "$(wc -l <"$work/apt-calls")"
install alpha unknown beta
expect "an unknown package does not keep the others out" "1 alpha beta" "$code $(xargs <"$work/installed")"
expect "... and is named" 1 "$(echo "$err" | grep -c '^could not install: unknown$')"
install nodejs
expect "without node, nodejs is missing" "installing Debian packages: nodejs" "$(echo "$err" | head -n 1)"
ln -s "$(command -v sh)" "$stubs/node"
install nodejs
expect "another node serves" "0 " "$code $err"
STUB_UID=1000
export STUB_UID
install beta gamma
expect "without root and sudo it says what to run" \
  "1 apt-get update && apt-get install --no-install-recommends beta gamma" "$code $(echo "$err" | sed -n 's/^  //p')"
expect "... and calls nothing" no "$([ -f "$work/apt-calls" ] && echo yes || echo no)"
rm "$stubs/apt-get"
install beta
expect "where there is no apt-get it says nothing" "1 " "$code $err"

[ "$failures" = 0 ] || echo "$failures failed"
[ "$failures" = 0 ]
