# SPDX-License-Identifier: Apache-2.0
"""The Python side: reads result files, judges them, draws them."""
