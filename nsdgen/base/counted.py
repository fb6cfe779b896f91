"""Numbers of things in words."""


def counted(count: int, one: str, many: str = "") -> str:
    """``1 row``, ``2 rows``; ``many`` where that is not ``one`` with an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"
