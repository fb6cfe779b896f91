"""What comes after a run: trajectories, their files, plots, and progress while it lasts.

Nothing is imported before it is used (PEP 562): this package costs neither NumPy nor
matplotlib nor xarray until a name of it is asked for. The function that draws a
trajectory is ``nsdgen.study.plot.plot``; most users call ``trajectory.plot(...)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nsdgen.study.columns import Column
    from nsdgen.study.plot import Plot, phase_plot, save_plot
    from nsdgen.study.progress import NoProgress, Progress
    from nsdgen.study.trajectory import Trajectory

__all__ = [
    "Column",
    "NoProgress",
    "Plot",
    "Progress",
    "Trajectory",
    "phase_plot",
    "save_plot",
]

_HOME = {
    "Column": "columns",
    "NoProgress": "progress",
    "Plot": "plot",
    "Progress": "progress",
    "Trajectory": "trajectory",
    "phase_plot": "plot",
    "save_plot": "plot",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from nsdgen.base.suggest import absent

        raise absent(__name__, name, __all__)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
