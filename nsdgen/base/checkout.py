"""A clone that was not built says so when nsdgen is imported, not at the first module that is missing.

Light on purpose: it runs at every import of nsdgen.
"""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec


def require_built(package: str) -> None:
    """Check that a folder called nsdgen can be used as it is; a wheel's always can.

    ``package`` is the folder. In a clone every .pyx file must have its compiled module beside it, and the
    folder of templates must be known as ``nsdgen.templates``, which installing does. Raises ``ImportError``
    with what is missing and the commands that mend it.
    """
    clone = os.path.dirname(package)
    if not os.path.exists(os.path.join(clone, "setup.py")):
        return
    problem = _not_compiled(package)
    if not problem and find_spec("nsdgen.templates") is None:
        problem = f"it is not installed in this Python, {sys.executable}: its templates are not found"
    if problem:
        raise ImportError(
            f"nsdgen is imported from a clone, {clone}, that cannot be used like this: {problem}\n"
            f"  To mend it: run {os.path.join(clone, 'bootstrap.sh')} and use "
            f"{os.path.join(clone, '.venv', 'bin', 'python')},\n"
            f"  or install the clone in this Python: {sys.executable} -m pip install --editable {clone}"
        )


def _not_compiled(package: str) -> str:
    """What of the compiled parts is missing, empty if nothing is."""
    missing, other = [], False
    for folder, _, files in os.walk(package):
        present = set(files)
        for name in files:
            stem, suffix = os.path.splitext(name)
            if suffix == ".pyx" and not any(stem + end in present for end in EXTENSION_SUFFIXES):
                missing.append(os.path.relpath(os.path.join(folder, stem), package).replace(os.sep, "."))
                other = other or any(f.startswith(stem + ".") and f.endswith((".so", ".pyd")) for f in files)
    if not missing:
        return ""
    missing.sort()
    rest = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    reason = f"compiled for another Python than {sys.implementation.cache_tag}" if other else "not compiled"
    return f"nsdgen.{missing[0]}{rest} {'are' if rest else 'is'} {reason}"
