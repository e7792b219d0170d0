#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, plants faults into the CUDA kernels. All arguments go to
# scripts/mutate.py; see --help.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if asks_for_help "$@"; then
  exec python3 "$root/scripts/mutate.py" --help
fi
install_packages build test
install_python
build_with_cuda cpu gk_test_emulated
exec "$root/.venv/bin/python" "$root/scripts/mutate.py" "$@"
