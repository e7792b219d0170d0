# SPDX-License-Identifier: Apache-2.0
"""The HTML page: one file that loads nothing else, works by mouse and keyboard, and reads as a
table without scripts."""

import base64
import hashlib
import json
from html import escape
from pathlib import Path

from gk import figures
from gk.columns import columns, text, values
from gk.errors import printable
from gk.notes import crowd_notes, point_notes, roof_notes
from gk.page_plot import plot_svg, symbol
from gk.page_tables import listed_table, pairs_table, points_table
from gk.roofline import Plot, plan
from gk.study import FILTERS, Study

_ASSETS = Path(__file__).resolve().parent / "assets"

_ROW_PANEL = """<aside id="row" tabindex="0" aria-live="polite"><h2>Row</h2>
<p>Point at a marker. By keyboard: Tab to the plot, then arrow keys; Enter goes to the table, Escape
back.</p><dl></dl></aside>"""


def build(study: Study) -> bytes:
    """The page of a study that has points."""
    with figures.style():
        plot = plan(study.picture)
        sequence = [*plot.order, *plot.crowd]
        svg, missing = plot_svg(plot, sequence)
    points = [study.found.points[index] for index in sequence]
    choices = _choices(study)
    parts = [
        _head(plot),
        _intro(study),
        _filters(choices),
        f'<div id="stage"><figure><div id="plot" tabindex="0">{svg}</div>{_key(plot)}</figure>',
        _ROW_PANEL + "</div>",
        _notes(plot, missing),
        points_table(points, plot, sequence, choices),
        pairs_table(study.pairs, points, sequence),
        listed_table(study.found.listed),
        _data(points),
        f"<script>{_asset('page.js')}</script></body></html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "replace")


def clean(value: str) -> str:
    """Text from a file, for HTML."""
    return escape(printable(value))


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _head(plot: Plot) -> str:
    digest = hashlib.sha256(_asset("page.js").encode()).digest()
    script = base64.b64encode(digest).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{clean(plot.picture.title)}</title>"
        f"<style>{_asset('page.css')}</style></head><body>"
    )


def _intro(study: Study) -> str:
    picture, found = study.picture, study.found
    account = (
        f"{study.rows_read} rows read = {found.rows_plotted} plotted (as {len(found.points)} "
        f"points) + {len(found.listed)} listed with a reason."
    )
    warnings = "".join(f'<p class="warning">{clean(note)}</p>' for note in picture.notes)
    return (
        f"<h1>{clean(picture.title)}</h1><p>{clean(picture.subtitle)}. {account}</p>{warnings}"
        "<noscript><p>Without scripts there is no filter and no detail on hover; the numbers in "
        "the plot are those of the table.</p></noscript>"
    )


def _choices(study: Study) -> dict[str, list[str]]:
    cases = [point.case for point in study.found.points]
    return {name: sorted({getattr(case, name) for case in cases}) for name in FILTERS}


def _filters(choices: dict[str, list[str]]) -> str:
    """Shown by the script, as it does nothing without."""
    groups = []
    for number, (name, options) in enumerate(choices.items()):
        boxes = "".join(
            f'<label><input type="checkbox" checked data-filter="{number}" data-value="{value}"> '
            f"{clean(option)}</label>"
            for value, option in enumerate(options)
        )
        groups.append(f"<fieldset><legend>{name}</legend>{boxes}</fieldset>")
    count = '<output id="count"></output>'
    return f'<form id="filters" hidden>{"".join(groups)}{count}</form>'


def _key(plot: Plot) -> str:
    items = []
    for number, (name, marker) in enumerate(plot.series.key.items()):
        drawn = symbol(marker, f"key{number}")
        items.append(f'<li><svg viewBox="-4 -4 8 8" aria-hidden="true">{drawn}</svg> ')
        items.append(f"{clean(name)}</li>")
    return f'<figcaption><ul id="key">{"".join(items)}</ul></figcaption>'


def _notes(plot: Plot, missing: list[str]) -> str:
    picture = plot.picture
    notes = [*roof_notes(picture.sources, plot.lines), *point_notes(picture.points, plot.order)]
    if plot.crowd:
        notes.append(f"In the plot {len(plot.order)} of {len(picture.points)} points have numbers.")
    notes += [note for note in crowd_notes(plot, len(picture.pairs)) if note.startswith("Hollow")]
    if missing:
        notes.append(f"No room in the plot for the labels {', '.join(missing)}.")
    return "<ul>" + "".join(f"<li>{clean(note)}</li>" for note in notes) + "</ul>"


def _data(points: list) -> str:
    """All cells of all rows, for the details on hover."""
    rows = [[text(cell) for cell in values(point)] for point in points]
    data = {"columns": [column.name for column in columns()], "rows": rows}
    body = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="data">{body}</script>'
