"""The tables of the page on the command line, from the table of options."""

from __future__ import annotations

from nsdgen.cli.options import COMMANDS, OPTIONS, Option

__all__ = ["added"]


def _row(option: Option) -> str:
    text = option.metavar or ""
    *short, long = option.names
    names = [*(f"`{name}`" for name in short), f"`{long} {text}`" if short or long.startswith("-") else f"`{text}`"]
    return f"| {', '.join(names)} | {option.help.replace('*', chr(92) + '*')} |"


def added(name: str) -> str:
    """What is added to a written page: options of each command, where it is the page on the command line."""
    if name != "reference/command_line.md":
        return ""
    out = []
    for command, summary in COMMANDS.items():
        rows = [_row(option) for option in OPTIONS if command in option.commands]
        out += [
            "",
            f"## nsdgen {command}",
            "",
            f"{summary[0].upper()}{summary[1:]}.",
            "",
            "| option | means |",
            "|---|---|",
        ]
        out += rows
    return "\n".join([*out, ""])
