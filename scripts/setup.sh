# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by audit.sh, bench.sh, mutate.sh and test.sh: installs what is missing, and builds.
# Nothing else does set-up.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 2
}

# asks_for_help ARGUMENT...: help needs no set-up.
asks_for_help() {
  local argument
  for argument in "$@"; do
    case $argument in --help | -h) return 0 ;; esac
  done
  return 1
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

# The places where CMake looks for nvcc (cmake/Cuda.cmake), .venv apart.
has_cuda_toolkit() {
  [ -x "${CUDACXX:-}" ] || [ -x "${CUDA_HOME:-}/bin/nvcc" ] || [ -x "${CUDA_PATH:-}/bin/nvcc" ] ||
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]
}

# The list of Python packages; NVIDIA's compiler is among them only where there is no toolkit.
python_packages() {
  if has_cuda_toolkit; then
    grep -v '# cuda$' "$root/scripts/requirements.txt"
  else
    cat "$root/scripts/requirements.txt"
  fi
}

# The pinned Python packages, in .venv; a stamp says which list was installed.
install_python() {
  local stamp=$root/.venv/requirements.txt folder
  cmp -s <(python_packages) "$stamp" && return
  say "Installing the Python packages into .venv"
  [ -x "$root/.venv/bin/python" ] || python3 -m venv "$root/.venv" ||
    die "python3 cannot make a virtual environment in $root/.venv"
  python_packages >"$root/.venv/wanted.txt"
  "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r "$root/.venv/wanted.txt"
  # nvcc links from lib64, and its package has lib.
  for folder in "$root"/.venv/lib/python3*/site-packages/nvidia/cu13; do
    [ ! -d "$folder/lib" ] || [ -e "$folder/lib64" ] || ln -s lib "$folder/lib64"
  done
  mv "$root/.venv/wanted.txt" "$stamp"
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

# has_target PRESET TARGET: where there is no CUDA, some are not.
has_target() {
  configure "$1"
  grep -q "^build \(tests/\)\?$2[: ]" "$root/build/$1/build.ninja"
}

# build_with_cuda PRESET TARGET: a program that there is only with CUDA.
build_with_cuda() {
  has_target "$1" "$2" ||
    die "needs a CUDA toolkit: build/$1 was configured without one; 'cmake build/$1' says why"
  build "$1" "$2"
}
