"""A model compiled by nsdgen 0.1.0; README.md says how to use it. Do not edit."""

from functools import cache
from pathlib import Path


@cache
def _model():
    from nsdgen.study.compiled_model import open_package

    return open_package(Path(__file__).parent)


def __getattr__(name):
    """``model``, and what it has: run, parameters, record, and its systems and relations."""
    if name.startswith("_"):
        raise AttributeError(name)
    return _model() if name == "model" else getattr(_model(), name)


def __dir__():
    return ["model", *dir(_model())]
