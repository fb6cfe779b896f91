"""Names that are taken in a world: each is that of one thing, for columns are called by it."""

from nsdgen.base.names import check_display_name
from nsdgen.errors import ModelError


class TakenNames:
    """Those of what a world holds, or has held."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, given: str, kind: str, what: str) -> str:
        """The name that was given; else that of the kind, with a number where it is taken.

        It is not taken by this: what is refused leaves its name. Raises ``ModelError`` for one that is taken, or that
        cannot be one.
        """
        if given:
            check_display_name(given, what=f"name of a {what}")
            if given in self._taken:
                raise ModelError(f"the name {given!r} is taken", where=f"{what} {given!r}", fix="give another name")
            return given
        found, number = kind, 1
        while found in self._taken:
            found, number = f"{kind} {number}", number + 1
        return found

    def take(self, name: str) -> None:
        """It is that of a thing from here on."""
        self._taken.add(name)
