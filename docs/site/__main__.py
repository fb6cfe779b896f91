"""``python docs/site FOLDER``: the pages of docs/, and those made from the code, as a site of HTML in a folder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import command_line
import gallery
import reference
import search
from sphinx.cmd.build import build_main
from sphinx.search.en import SearchEnglish
from staging import DOCS, staged

NOTEBOOK = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n"
"""What makes a tutorial a notebook, whose cells run when the site is built."""


def write(path: Path, text: str) -> None:
    """Write a page, in a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stage(source: Path) -> None:
    """Lay out what Sphinx reads: written pages with what the code adds to them, and pages made from the code."""
    for path in DOCS.rglob("*"):
        name = path.relative_to(DOCS).as_posix()
        if path.suffix == ".md":
            text = staged(path, reference.added(name) + command_line.added(name))
            if name.startswith("tutorials/"):
                text = NOTEBOOK + text.replace("```python\n", "```{code-cell}\n")
            write(source / name, text)
        elif path.is_file() and path.suffix != ".py" and "__pycache__" not in name:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, source / name)
    for name, text in {**reference.pages(), **gallery.pages(source / "extra" / "moving")}.items():
        write(source / name, text)


def main(folder: Path) -> int:
    """Build the site; warnings are errors. The exit code."""
    source = folder.with_name(f"{folder.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    stage(source)
    extra = f"html_extra_path={source / 'extra'}"
    (source / "extra").mkdir(exist_ok=True)
    code = build_main(["-q", "-W", "--keep-going", "-c", str(DOCS), "-D", extra, str(source), str(folder)])
    return code or ask(folder)


def ask(folder: Path) -> int:
    """Ask the built search the questions that readers have; 1 where a page is not among its first results."""
    index, english = search.built(folder), SearchEnglish({})

    def stem(word: str) -> str:
        return english.stem(word) if english.word_filter(word) else ""

    asked = search.questions((DOCS / "questions.md").read_text(encoding="utf-8"))
    missed = [q for q, words, page in asked if page not in _others(search.found(words, index, stem))]
    for question in missed:
        print(f"docs/questions.md: a search does not find the page that answers: {question}", file=sys.stderr)
    return 1 if missed else 0


def _others(found: list[str]) -> list[str]:
    """The first results but the page of the questions itself."""
    return [page for page in found if page != "questions"][: search.FIRST]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
