"""Damage to files, drawn from a seed: the rule is exit 0 or a named error, whatever comes."""

from __future__ import annotations

import random


def spoilt(content: bytes, rng: random.Random) -> bytes:
    """Bytes cut, emptied, with a bit or a byte or a digit changed, a part doubled, moved or overwritten."""
    if not content:
        return b"\x00"
    i, j = sorted((rng.randrange(len(content)), rng.randrange(len(content))))
    part = content[i : min(j, i + 4096)]
    kind = rng.randrange(8)
    if kind == 0:
        return content[:i]
    if kind == 1:
        return b""
    if kind == 2:
        return content[:i] + bytes([content[i] ^ 1 << rng.randrange(8)]) + content[i + 1 :]
    if kind == 3:
        return content[:i] + bytes([rng.randrange(256)]) + content[i + 1 :]
    if kind == 4:
        return content[:i] + part + content[i:]
    if kind == 5:
        return content[:i] + content[i + len(part) :]
    if kind == 6:
        return content[:i] + rng.randbytes(len(part)) + content[i + len(part) :]
    return content[:i] + rng.choice((b"\xff" * 8, b"\x7f\xff\xff\xff", b"[" * 5000, b"\x00" * 64)) + content[i:]
