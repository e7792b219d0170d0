#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws result files as rooflines; see --help."""

import sys

from gk.roofline_command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
