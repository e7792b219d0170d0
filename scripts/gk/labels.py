# SPDX-License-Identifier: Apache-2.0
"""Labels in the frame of a roofline, on leader lines where they had to move away."""

from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from gk.figures import INK, put_line, put_text, text_width
from gk.frame import Frame
from gk.layout import Box, Candidate, around

TEXT_HEIGHT = 6.2  # of one line's box


def label_around(
    frame: Frame, text: str, at: tuple[float, float], gap: float, gid: str | None = None
) -> bool:
    """Put `text` near a place; False where there was no room. `gid` names it in an SVG."""
    size = Box(0, 0, text_width(text), TEXT_HEIGHT)
    found = frame.placer.place(size, around(*at, size, gap))
    if found is None:
        return False
    put_leader(frame.figure, found, size, gid and f"leader-{gid}")
    put_label(frame.figure, found, text, INK, gid and f"label-{gid}")
    return True


def put_label(
    figure: Figure, at: Candidate, text: str, colour: str, gid: str | None = None
) -> None:
    """Text in the middle of `at`."""
    middle = {"ha": "center", "va": "center", "rotation_mode": "anchor", "rotation": at.angle}
    halo = [withStroke(linewidth=1.2, foreground="white")]  # where a line must pass behind
    put_text(figure, at.x, at.y, text, color=colour, zorder=6, path_effects=halo, gid=gid, **middle)


def put_leader(figure: Figure, at: Candidate, size: Box, gid: str | None = None) -> None:
    """A thin line from the marker to the edge of its label."""
    if at.leader is None:
        return
    dx, dy = at.leader[0] - at.x, at.leader[1] - at.y
    spans = [half / abs(d) for d, half in ((dx, size.width / 2), (dy, size.height / 2)) if d]
    edge = min(1.0, *spans) if spans else 0.0
    xs, ys = [at.leader[0], at.x + edge * dx], [at.leader[1], at.y + edge * dy]
    put_line(figure, xs, ys, color="0.4", linewidth=0.35, zorder=3, gid=gid)
