"""A derivation as a LaTeX document that needs amsmath and nothing else."""

from collections.abc import Sequence

from nsdgen.derive.derive import Derivation
from nsdgen.derive.kernel import Output, facts
from nsdgen.derive.listing.lines import broken
from nsdgen.derive.listing.listing import ListedArray, ListedGroup, groups_of
from nsdgen.derive.listing.notation import Typeset, escape_tex, name_as_tex, words_as_tex
from nsdgen.record.overview import instances, schemes

_HEAD = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage[margin=2.5cm]{geometry}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
"""
_SYMBOLS = {
    "mass": "M",
    "force": "F",
    "force_q": r"\frac{\partial F}{\partial q}",
    "force_v": r"\frac{\partial F}{\partial v}",
    "rhs": "f",
    "rhs_x": r"\frac{\partial f}{\partial x}",
    "twist_map": "T",
    "gap": "h",
    "gap_t": r"\frac{\partial h}{\partial t}",
    "gap_q": r"\nabla_q h",
    "gap_twist": "H",
    "residual": "R",
    "iteration_matrix": "W",
    "output": "y",
    "output_lambda": r"\frac{\partial y}{\partial \lambda}",
}
_MOST_COLUMNS = 6  # what a page is wide enough for
_WIDEST = 400  # characters of LaTeX in one matrix; beyond that its entries are listed


def as_latex(derivation: Derivation) -> str:
    """The whole document: a section per class, a formula per quantity."""
    lines = [
        _HEAD + r"\begin{document}",
        rf"\section*{{{escape_tex(derivation.record.name)}}}",
        f"Derived for {escape_tex(schemes(derivation.record))}.",
    ]
    for group in groups_of(derivation):
        lines += _section(group)
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def _section(group: ListedGroup) -> list[str]:
    who = instances(group.instances) or "the model"
    lines = [
        "",
        rf"\section*{{{group.kind.capitalize()} class {escape_tex(group.name)}}}",
        f"Instances: {escape_tex(who)}.",
    ]
    for title, quantities in (("Operators", group.operators), ("One step", group.step)):
        if quantities:
            lines += ["", rf"\subsection*{{{title}}}"]
        for quantity in quantities:
            lines += _formula(quantity)
    return lines


def _formula(quantity: ListedArray) -> list[str]:
    out = quantity.output
    heading = rf"\textbf{{{escape_tex(out.name)}}}"
    if quantity.formula:
        heading += rf" \quad {words_as_tex(quantity.formula)}"
    about = [quantity.shape, *quantity.properties, f"depends on {facts(out.depends)}"]
    entries, definitions = quantity.printed(Typeset)
    rows = _rows(out, quantity.arguments, entries)
    rows += [row for name, value in definitions.items() for row in _sum(rf"&\text{{where }} {name} = ", value)]
    return [
        "",
        rf"\medskip {heading}\\ {escape_tex('; '.join(about))}",
        r"\begin{align*}",
        (r" \\" + "\n").join(rows),
        r"\end{align*}",
    ]


def _rows(out: Output, arguments: Sequence[str], entries: Sequence[tuple[int, int, str]]) -> list[str]:
    """One row where the array fits into a matrix, else one per entry."""
    left = _SYMBOLS.get(out.name) or name_as_tex(out.name)
    if arguments:
        left += rf"({', '.join(name_as_tex(a) for a in arguments)})"
    if out.rows == out.cols == 1:
        return [row for _, _, text in entries for row in _sum(f"{left} &= ", text)] or [f"{left} &= 0"]
    if not entries:
        return [f"{left} &= 0"]
    if out.cols <= _MOST_COLUMNS and sum(len(text) for _, _, text in entries) <= _WIDEST:
        return [f"{left} &= {_matrix(out, entries)}"]
    return [
        row
        for i, j, text in entries
        for row in _sum(rf"{{{left}}}_{{{i + 1 if out.cols == 1 else f'{i + 1},{j + 1}'}}} &= ", text)
    ]


def _sum(left: str, text: str) -> list[str]:
    """An equation over as many rows as its length asks for."""
    first, *more = broken(text)
    return [left + first, *(rf"&\quad {row}" for row in more)]


def _matrix(out: Output, entries: Sequence[tuple[int, int, str]]) -> str:
    values = {(i, j): text for i, j, text in entries}
    rows = (" & ".join(values.get((i, j), "0") for j in range(out.cols)) for i in range(out.rows))
    return r"\begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}"
