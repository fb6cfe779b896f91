"""What comes after a run: trajectories, their files, plots, and progress while it lasts.

Nothing is imported before it is used (PEP 562): this package costs neither NumPy nor
matplotlib nor xarray until a name of it is asked for. The function that draws a
trajectory is ``nsdgen.study.plot.plot``; most users call ``trajectory.plot(...)``.
"""

from nsdgen.base.lazy_names import lazy_names

_HOMES = {
    "Column": "nsdgen.record.columns",
    "NoProgress": "nsdgen.study.progress",
    "Plot": "nsdgen.study.plot",
    "Progress": "nsdgen.study.progress",
    "Trajectory": "nsdgen.study.trajectory",
    "phase_plot": "nsdgen.study.plot",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
