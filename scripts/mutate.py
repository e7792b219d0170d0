#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the faults in CUDA kernels that the tests see; see --help."""

import sys

from gk.entry import start

if __name__ == "__main__":
    sys.exit(start("mutate_command"))
