# shellcheck shell=sh
# Debian packages for ./ridge and ./test, read with `.`; the lists beside this file have one package a line.

listed_packages() { sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$@"; }

# missing_packages LIST...: prints the listed packages that are not installed.
# A node from elsewhere serves as well as Debian's, and the two packages exclude each other.
missing_packages() (
  wanted=$(listed_packages "$@")
  # shellcheck disable=SC2086,SC2016  # one word a package; dpkg-query expands the fields
  present=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^.i. *//p' | tr '\n' ' ')
  for package in $wanted; do
    case " $present" in *" $package "*) continue ;; esac
    if [ "$package" = nodejs ] && command -v node >/dev/null; then continue; fi
    if [ "$package" = npm ] && command -v npm >/dev/null; then continue; fi
    printf '%s\n' "$package"
  done
)

# install_missing LIST...: installs the listed packages that are missing, without questions.
# Returns 1, after saying what to run, when some are still missing; 1 without a word where there is no apt-get.
install_missing() (
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 1
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" = 0 ]; then as_root=
  elif ! command -v sudo >/dev/null; then
    echo "missing Debian packages, and neither root nor sudo to install them. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends $missing" >&2
    return 1
  elif [ -t 2 ]; then as_root=sudo # may ask for a password
  else as_root="sudo -n"
  fi

  chatter=$(mktemp) || return 1
  trap 'rm -f "$chatter"' EXIT
  # A plain user's PATH lacks the folders dpkg wants; a fresh machine's own updates may hold the lock for a while.
  apt_get() {
    $as_root env DEBIAN_FRONTEND=noninteractive "PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin" \
      apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$chatter" 2>&1
  }
  install() { apt_get install --no-install-recommends "$@"; }

  echo "installing Debian packages: $missing" >&2
  # shellcheck disable=SC2086  # one word a package
  if ! install $missing; then
    apt_get update
    # One unknown package makes apt-get refuse them all: then take them one by one.
    install $missing || for package in $missing; do install "$package"; done
  fi

  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  grep -E '^(E|W|sudo):' "$chatter" | sort -u | tail -n 10 >&2
  echo "could not install: $missing" >&2
  echo "  to see why, as root: apt-get update && apt-get install --no-install-recommends $missing" >&2
  return 1
)

# ccache fails every compilation where it cannot write its folder: then do without it.
check_ccache() {
  mkdir -p "${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/ccache}" 2>/dev/null || export CCACHE_DISABLE=1
}
