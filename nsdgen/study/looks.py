"""How pictures look: on a screen, in print, on dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nsdgen.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LookName: TypeAlias = Literal["screen", "paper", "dark"]


@dataclass(frozen=True)
class Look:
    """Colours of curves and around them; ``width`` of a figure in inches, where set; size of text in ``points``."""

    palette: tuple[str, ...]
    ground: str
    ink: str
    faint: str
    grid: str
    titled: bool = True
    width: float | None = None
    points: float = 10.0
    line: float = 1.0  # times the usual width of lines

    def dress_figure(self, figure: Figure) -> None:
        """Give a figure its ground."""
        figure.set_facecolor(self.ground)

    def dress(self, place: Axes) -> None:
        """Give axes their colours, and the cycle of curves: where colours repeat, dashes begin."""
        number = len(self.palette)
        place.set_prop_cycle(color=self.palette * 2, linestyle=["-"] * number + ["--"] * number)
        place.set_facecolor(self.ground)
        place.spines[["top", "right"]].set_visible(False)
        place.spines[["left", "bottom"]].set_color(self.faint)
        place.tick_params(color=self.faint, labelcolor=self.ink, labelsize=0.83 * self.points)
        for label in (place.xaxis.label, place.yaxis.label, place.title):
            label.set_color(self.ink)
            label.set_fontsize(self.points)
        place.grid(color=self.grid, linewidth=0.6)
        place.set_axisbelow(True)


_COLOURS = ("#0b5fa5", "#d1600a", "#2a8c5a", "#b0306a", "#7a5fc0", "#8a6d1b", "#3f9ec4", "#5a5a5a")
_LIGHT = ("#6cb0f5", "#f5a45c", "#6fcf97", "#f082ac", "#b8a3f0", "#d9bf6b", "#8ad4ee", "#b5bcc7")
_PRINTED = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by all eyes
_LOOKS = {
    "screen": Look(_COLOURS, "#ffffff", "#222222", "#777777", "#e4e4e4"),
    # One column of a journal; its caption is the title.
    "paper": Look(_PRINTED, "#ffffff", "#000000", "#000000", "#ececec", titled=False, width=3.5, points=8.0, line=0.75),
    "dark": Look(_LIGHT, "#12161c", "#e6ebf2", "#8894a5", "#2c3542"),
}


def look_of(name: str) -> Look:
    """The look called so; raises ParameterError where there is none."""
    if name not in _LOOKS:
        raise ParameterError(f"look={name!r} is no look of a picture", fix=f"choose one of {', '.join(_LOOKS)}")
    return _LOOKS[name]
