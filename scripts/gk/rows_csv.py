# SPDX-License-Identifier: Apache-2.0
"""Every row that was read as one line of CSV: plotted, or with the reason why not."""

import csv
import io
from collections.abc import Iterator

from gk.columns import Cell, columns, values
from gk.errors import printable
from gk.points import Listed, Point
from gk.study import Study


def build(study: Study) -> bytes:
    """The file's bytes; a number has all its digits, and an unknown value is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(column.name for column in columns()), "not_plotted_because"])
    for entry, reason in _entries(study):
        writer.writerow([*map(_cell, values(entry)), _cell(reason)])
    return text.getvalue().encode("utf-8", "replace")


def _entries(study: Study) -> Iterator[tuple[Point | Listed, str | None]]:
    """In the order of the files: every row, also those that share a point."""
    points = {point.row.name.key: point for point in study.found.points}
    listed = {id(item.row): item for item in study.found.listed}
    for file in study.files:
        for row in file.rows:
            if id(row) in listed:
                yield listed[id(row)], listed[id(row)].reason
                continue
            point = points[row.name.key]
            shares = None if row is point.row else "a repetition: the point is the median one"
            yield (point if row is point.row else Listed(row, "")), shares


def _cell(value: Cell) -> Cell:
    """Text that a spreadsheet would take for a formula gets a quote in front."""
    if not isinstance(value, str):
        return value
    clean = printable(value)
    return f"'{clean}" if clean.startswith(("=", "+", "-", "@")) else clean
