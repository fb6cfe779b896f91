"""Where the meshes of a file lie."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nsdgen.errors import ModelError

Packages = Mapping[str, str | Path] | Sequence[str | Path] | None


def found_mesh(name: str, folder: Path, packages: Packages, where: str) -> Path:
    """The file that ``package://name/...``, ``file://...`` or a path beside the robot's file means.

    ``packages`` are folders by name, or folders that hold packages. Raises ``ModelError`` where none is there.
    """
    scheme, _, rest = name.rpartition("://")
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        if isinstance(packages, Mapping):
            tried = [Path(packages[package]) / inside] if package in packages else []
        else:
            tried = [Path(p) / rest for p in ([packages] if isinstance(packages, str | Path) else packages or ())]
        fix = f"say where the package {package!r} lies: packages={{{package!r}: folder}}, or folders that hold packages"
    elif scheme in ("", "file"):
        tried, fix = [folder / rest], "put the file there"
    else:
        tried, fix = [], "give a path, file:// or package://"
    for path in tried:
        if path.is_file():
            return path
    looked = f", looked for as {', '.join(map(str, tried))}" if tried else ""
    raise ModelError(f"the mesh {name!r} is not there{looked}", where=where, fix=f"{fix}; meshes=False looks for none")
