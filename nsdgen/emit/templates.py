"""The templates of emitted text, as Jinja2 has them ready; compiled once, as Python's own modules are."""

import importlib.resources
import pickle
import sys
import textwrap
from contextlib import suppress
from functools import cache
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from nsdgen.base.whole_file import replaced_file
from nsdgen.emit.text import INDENT


@cache
def environment() -> jinja2.Environment:
    """Templates by name; blanks as they stand in them, and no symbol that is not given."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(template_source),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        bytecode_cache=_InPycache(),
    )
    made.filters["deeper"] = _deeper
    return made


def _deeper(text: str, levels: int = 1) -> str:
    """Lines so many levels deeper."""
    return textwrap.indent(text, INDENT * levels)


def template_source(name: str) -> str:
    """The text of a template."""
    return (importlib.resources.files("nsdgen.templates") / name).read_text(encoding="utf-8")


class _InPycache(jinja2.BytecodeCache):
    """What Jinja2 makes of templates, in ``__pycache__`` beside them, where Python keeps what it makes of modules.

    Jinja2 tells by a checksum of the source and by Python's version whether it may be used. To compile the templates
    takes as long as to fill them in.
    """

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name of a file."""
        return f"{name}.{sys.implementation.cache_tag}-jinja-{jinja2.__version__}.pyc"

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what was kept, where there is something."""
        with suppress(OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
            bucket.bytecode_from_string(_place(bucket).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was made, unless Python is told to keep nothing."""
        with suppress(OSError):
            if not sys.dont_write_bytecode:
                _place(bucket).parent.mkdir(exist_ok=True)
                with replaced_file(_place(bucket), 0o644, keep=False) as file:
                    bucket.write_bytecode(file)


def _place(bucket: Bucket) -> Path:
    return Path(str(importlib.resources.files("nsdgen.templates"))) / "__pycache__" / bucket.key
