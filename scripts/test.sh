#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and runs every test, linter and format check.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if asks_for_help "$@"; then
  cat <<'HELP'
scripts/test.sh
  Installs what is missing (as root, on Debian 12), then: format and lint of C++, Python and shell;
  the C++ and Python tests of the release build; the C++ tests under AddressSanitizer and
  UndefinedBehaviorSanitizer. CUDA kernels run in the emulator; with a GPU at hand also there
  (ctest -L gpu), else those tests are skipped. Stops at the first failure.
HELP
  exit 0
fi
cd "$root"

install_packages build test
install_python

sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

say "Format"
sources '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs clang-format-16 --dry-run --Werror
.venv/bin/ruff format --check .
say "Lint: shell and Python"
sources '*.sh' .ci/run | xargs shellcheck -x
.venv/bin/ruff check .

say "Build: release"
build cpu
say "Build: sanitizers"
emulated=
! has_target asan gk_test_emulated || emulated=gk_test_emulated
# shellcheck disable=SC2086  # a word or none
build asan gk_test gk_bench gk_bench_faulty $emulated

say "Lint: C++"
# In parallel, one file each; headers are checked where they are included. What this machine does
# not build (the emulator, without a toolkit) has no flags to be read with.
sources '*.cpp' | while read -r file; do
  ! grep -qF "\"$root/$file\"" build/cpu/compile_commands.json || printf '%s\n' "$file"
done | xargs -P "$jobs" -n 1 clang-tidy-16 -p build/cpu --quiet --warnings-as-errors='*' \
  --extra-arg=-Wno-unknown-warning-option \
  2> >(grep -v 'warnings generated' >&2)

say "Tests: release"
[ -n "$emulated" ] || printf 'No CUDA toolkit: the CUDA kernels and the emulator are not tested.\n'
ctest --test-dir build/cpu --output-on-failure -j "$jobs"
say "Tests: sanitizers"
# oneDNN and libgomp keep memory until the process ends: leaks are looked for in our own tests only.
ASAN_OPTIONS=detect_leaks=0 build/asan/tests/gk_test --gtest_brief=1
[ -z "$emulated" ] ||
  ASAN_OPTIONS=detect_leaks=0 build/asan/tests/gk_test_emulated --gtest_brief=1
ASAN_OPTIONS=detect_leaks=0 GK_BUILD=build/asan .venv/bin/python -m pytest \
  tests/scripts/command_line_test.py -k 'bad_input or failing or hanging or exit_codes'
if [ -n "$emulated" ]; then
  say "Tests: planted faults in CUDA kernels"
  .venv/bin/python scripts/mutate.py --sample 20
fi
say "Tests: command line, reader, figures"
.venv/bin/python -m pytest
say "All passed"
