"""A model as a package that can be committed, read, imported and compiled anywhere.

Input: record and text of a model, perhaps its shared object. Output: the folder
``<folder>/<identifier>/``. The same model gives the same bytes. Each file appears whole (a
temporary file, renamed), and files that are the same already are left alone.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsdgen import abi
from nsdgen.base.names import comment
from nsdgen.base.pieces import apart
from nsdgen.base.version import VERSION
from nsdgen.base.whole_file import replaced_file
from nsdgen.emit.contents import KernelNote, kernel_notes
from nsdgen.emit.templates import environment
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord, ParameterRecord, RelationClassRecord, SystemClassRecord

_MADE = ("*.so", "*.pyd", "nsdgen_*.h", "_*.pxi")
_MOST_NAMES = 8  # in a cell of a table: the row stays readable, the number of the others is said


def write_package(folder: Path, record: ModelRecord, text: str, shared_object: Path | None) -> Path:
    """Write the package of a model below ``folder``; gives its own folder.

    Raises ``ParameterError`` where something else is in its place or nothing can be written.
    """
    target = Path(folder) / record.identifier
    _check_place(target, record)
    try:
        _make(target)
        contents = {name: content.encode("utf-8") for name, content in package_files(record, text).items()}
        if shared_object:
            contents[shared_object.name] = shared_object.read_bytes()
        for old in (old for pattern in _MADE for old in target.glob(pattern)):
            if old.name not in contents:  # of an older text, or for another Python: loading it would fail
                old.unlink()
        for name, content in contents.items():
            _write(target / name, content)
    except OSError as error:
        raise ParameterError(
            f"the package {str(target)!r} cannot be written: {error.strerror or error}",
            model=record.name,
            fix="choose a folder you may write to",
        ) from error
    return target


def package_files(record: ModelRecord, text: str) -> dict[str, str]:
    """The content of every text file of a package, by file name; ``text`` is whole."""
    kernels, pieces = apart(text)
    return {
        "_kernels.pyx": kernels,
        **pieces,
        "model.json": record.to_json(),
        "__init__.py": _render("package_init.py.j2", version=VERSION),
        "README.md": _render("package_readme.md.j2", **_readme(record, kernel_notes(text))),
        ".gitignore": "*.so\n*.pyd\n__pycache__/\n",
    }


def _check_place(target: Path, record: ModelRecord) -> None:
    """Refuse a place that is taken by anything but a package of this model."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        owner = json.loads((target / "model.json").read_text(encoding="utf-8"))
        name = owner["name"] if "kernel_hash" in owner else None
    except (OSError, ValueError, KeyError, TypeError):
        name = None
    if name is None:
        raise ParameterError(
            f"{str(target)!r} exists and is no package of nsdgen",
            model=record.name,
            fix="choose another folder, or move away what is there",
        )
    if name != record.name:
        raise ParameterError(
            f"{str(target)!r} is the package of another model, {name!r}",
            model=record.name,
            fix="choose another folder, or rename one of the models",
        )


def _make(folder: Path) -> None:
    """A folder and the missing ones above it, in which others do not write, whatever the umask: they hold code."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=0o755, exist_ok=True)


def _write(path: Path, content: bytes) -> None:
    try:
        if path.read_bytes() == content:
            return
    except FileNotFoundError:
        pass
    with replaced_file(path, 0o644) as file:
        file.write(content)


def _render(template: str, **values: Any) -> str:
    return environment().get_template(template).render(values)


def _readme(record: ModelRecord, notes: Sequence[KernelNote]) -> dict[str, Any]:
    """What the README template needs: strings that are safe where it puts them."""
    first = next(iter(record.parameters), None)
    return {
        "title": _cell(record.name),
        "identifier": record.identifier,
        "version": VERSION,
        "abi": abi,
        "counts": f"{_count(record.systems, 'system')} and {_count(record.relations, 'relation')}",
        "parameters": [
            {"name": _cell(p.name), "value": f"{p.value:.12g}", "unit": _cell(p.unit), "range": _range(p)}
            for p in record.parameters
        ],
        "parameter_example": f", parameters={{{_literal(first.name)}: {first.value!r}}}" if first else "",
        "column": _literal(f"{record.systems[0].name}.{record.system_classes[record.systems[0].cls].state_names[0]}"),
        "operator": _operator_example(record, notes),
        "classes": _classes(record, notes),
        "scheme": _cell(", ".join(s.label() for s in record.schemes)),
        **{key: f"{getattr(record, key):.12g}" for key in ("step", "start", "end")},
    }


def _classes(record: ModelRecord, notes: Sequence[KernelNote]) -> list[dict[str, Any]]:
    """Each class with instances: who they are, their columns, their operators."""
    classes = []
    kinds: list[SystemClassRecord | RelationClassRecord] = [*record.system_classes, *record.relation_classes]
    for number, (cls, names) in enumerate(zip(kinds, _instances(record), strict=True)):
        shown = ", ".join(f"`{_cell(name)}`" for name in names[:_MOST_NAMES])
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        operators = [
            {
                "call": f"{_cell(n.name)}({', '.join(f'{a}[{size}]' for a, size in n.operands)})",
                "shape": _cell(n.shape),
                "formula": _cell(n.formula),
            }
            for n in notes
            if n.cls == number and n.is_operator
        ]
        classes.append(
            {"title": shown + more, "columns": _columns(cls) + _outputs(record, number), "operators": operators}
        )
    return classes


def _outputs(record: ModelRecord, number: int) -> list[dict[str, str]]:
    """What is observed of instants by the relations of a class."""
    of_class = [o for o in record.outputs if record.class_number("relation", o.relation) == number]
    return [{"name": _cell(name), "unit": _cell(unit)} for o in of_class[:1] for name, unit in o.labels]


def _columns(cls: SystemClassRecord | RelationClassRecord) -> list[dict[str, str]]:
    """The quantities that a run records of each instance of a class."""
    if isinstance(cls, SystemClassRecord):
        names = (cls.state_names, *cls.observed_names)
        units = (cls.state_units, *cls.observed_units)
    else:
        names = (cls.memory_names, *cls.multiplier_names, *cls.observed_names)
        units = (cls.memory_units, *cls.multiplier_units, *cls.observed_units)
    # A multiplier at the start and the one of the steps of that name are one column.
    pairs = dict.fromkeys(pair for group in zip(names, units, strict=True) for pair in zip(*group, strict=True))
    return [{"name": _cell(name), "unit": _cell(unit)} for name, unit in pairs]


def _operator_example(record: ModelRecord, notes: Sequence[KernelNote]) -> dict[str, str] | None:
    names = _instances(record)
    for note in notes:
        if note.is_operator and note.cls < len(names) and names[note.cls]:
            values = ("0.3" if size == 1 else str([0.0] * size) for _, size in note.operands)
            return {"instance": _literal(names[note.cls][0]), "name": note.name, "arguments": ", ".join(values)}
    return None


def _instances(record: ModelRecord) -> list[list[str]]:
    """The names of the instances of each class, systems first."""
    systems = [[s.name for s in record.systems if s.cls == c] for c in range(len(record.system_classes))]
    return systems + [[r.name for r in record.relations if r.cls == c] for c in range(len(record.relation_classes))]


def _count(items: Sequence[Any], noun: str) -> str:
    return f"{len(items)} {noun}{'s' * (len(items) != 1)}"


def _range(p: ParameterRecord) -> str:
    if p.min is None and p.max is None:
        return ""
    low, high = ("" if bound is None else f"{bound:g}" for bound in (p.min, p.max))
    return f"{low} … {high}".strip()


def _cell(text: str) -> str:
    """Text inside a cell of a Markdown table, also between backticks."""
    return comment(text).replace("`", "'").replace("|", "/").replace("<", "‹").replace(">", "›")


def _literal(text: str) -> str:
    """Text as a Python literal inside a fenced block."""
    return ascii(text).replace("`", r"\x60")
