# SPDX-License-Identifier: Apache-2.0
"""Rows to points of a roofline: each row read is plotted, or listed with the reason why not."""

from collections import defaultdict
from collections.abc import Sequence

from gk.placing import place
from gk.points import Listed, Point, Selection, Sorted
from gk.results import Kind, Row
from gk.roofs import Roofs


def sort_rows(rows: Sequence[Row], roofs: Roofs, selection: Selection, project: bool) -> Sorted:
    """Make points under `roofs`; with `project` they keep the percent of their own ceiling."""
    groups: dict[str, list[Row]] = defaultdict(list)
    listed = []
    for row in rows:
        if reason := _reason_against(row, selection):
            listed.append(Listed(row, reason))
        else:
            groups[row.name.key].append(row)
    points = []
    for group in groups.values():
        made = place(_median(group), len(group), roofs, project)
        if isinstance(made, Point):
            points.append(made)
        else:
            listed += [Listed(row, made) for row in group]
    return Sorted(tuple(points), tuple(listed))


def _reason_against(row: Row, selection: Selection) -> str | None:
    if row.kind not in (Kind.MEASURED, Kind.LISTED):
        return f"{row.kind}: {row.reason}" if row.reason else str(row.kind)
    if row.case is None or row.work is None:
        return row.reason or "no FLOPs and bytes"
    if reason := selection.reason_against(row.case):
        return reason
    if row.case.op.startswith("ceiling_"):
        return "a ceiling: it is a roof, not a point"
    if not row.work.intensity:
        return "no arithmetic intensity: no FLOPs or no bytes"
    return None


def _median(rows: Sequence[Row]) -> Row:
    """The row in the middle by time, never a mean."""
    timed = [row for row in rows if row.times]
    ordered = sorted(timed, key=lambda row: row.times.real_s) or list(rows)
    return ordered[(len(ordered) - 1) // 2]
