#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what CUDA kernels move; see --help."""

import sys

from gk.entry import start

if __name__ == "__main__":
    sys.exit(start("audit_command"))
