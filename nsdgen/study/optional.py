"""Packages nsdgen can do without: imported when first needed, missed with a remedy."""

from importlib import import_module
from types import ModuleType

from nsdgen.errors import ParameterError


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """The module, imported now; raises ParameterError naming the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ParameterError(
            f"{purpose} needs the package {package}, which cannot be imported ({error})",
            fix=f"pip install 'nsdgen[{extra}]'",
        ) from error
