# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by bench.sh and test.sh: installs what is missing, and builds. Nothing else does set-up.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 2
}

# Packages of the given purposes ("build", "test") that dpkg does not have.
missing_packages() {
  local wanted package
  wanted=$(awk -v purposes=" $* " '$1 != "#" && index(purposes, " " $1 " ") {print $2}' \
    "$root/scripts/packages.txt")
  for package in $wanted; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s ' "$package"
  done
}

install_packages() {
  if ! grep -qs 'VERSION_ID="12"' /etc/os-release || ! command -v apt-get >/dev/null; then
    say "Not Debian 12: going on with what is here (scripts/packages.txt lists what is used)"
    return
  fi
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  local command="apt-get update && apt-get install -y --no-install-recommends $missing"
  [ "$(id -u)" = 0 ] || die "packages are missing; as root, run: $command"
  say "Installing $missing"
  apt-get update -qq
  # shellcheck disable=SC2086  # a list of words
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# The pinned Python packages, in .venv; a stamp says which list was installed.
install_python() {
  local stamp=$root/.venv/requirements.txt
  cmp -s "$root/scripts/requirements.txt" "$stamp" && return
  say "Installing the Python packages into .venv"
  [ -x "$root/.venv/bin/python" ] || python3 -m venv "$root/.venv" ||
    die "python3 cannot make a virtual environment in $root/.venv"
  "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r "$root/scripts/requirements.txt"
  cp "$root/scripts/requirements.txt" "$stamp"
}

# configure PRESET: only once; later changes are noticed by the build itself.
configure() {
  [ -f "$root/build/$1/build.ninja" ] && return
  say "Configuring build/$1"
  (cd "$root" && cmake --preset "$1" -Wno-dev)
}

# build PRESET [TARGET...]
build() {
  local preset=$1 target options=()
  shift
  configure "$preset"
  for target in "$@"; do options+=(--target "$target"); done
  cmake --build "$root/build/$preset" -j "$jobs" "${options[@]}"
}
