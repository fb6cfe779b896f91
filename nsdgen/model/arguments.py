"""What a model is given, as lists and mappings; refused where it is none."""

from collections.abc import Mapping, Sequence
from typing import Any

from nsdgen.base.checks import shown
from nsdgen.errors import ModelError
from nsdgen.schemes.scheme import Scheme
from nsdgen.symbolic.description.starts import asks_for_search
from nsdgen.symbolic.families.system import System


def listed(items: Any, model: str, what: str) -> list[Any]:
    """``items`` as a list; copies of one system or relation are one entry of it."""
    if isinstance(items, list | tuple):
        return list(items)
    if hasattr(items, "prototype"):  # the copies of one system or relation
        return [items]
    raise ModelError(f"{what} is {items!r}, not a list", model=model, fix=f"write {what}=[...]")


def members_of(stated: Any) -> Sequence[Any]:
    """What the model takes for what was listed: copies, and what is no system, as they are."""
    return stated.members if isinstance(stated, System) else (stated,)


def placed(
    stated: Sequence[Any], systems: Sequence[Any], initial: Any, near: Any, parameters: Mapping[Any, Any], model: str
) -> tuple[dict[Any, Any], dict[Any, Any] | None]:
    """``initial`` and ``near`` in the words of the systems that the model takes for those that were listed.

    Where a search for a start is asked for, what systems say of their members is near, and what is given holds.
    """
    held = mapping(initial, model, "initial")
    guess = None if near is None else mapping(near, model, "near")
    for system in stated:
        if [*members_of(system)] == [system]:
            continue
        own = system.given_as
        if guess is None and not asks_for_search(systems, {k: v for k, v in held.items() if k not in own}):
            held = dict(system.start_of_members(held, parameters))
        else:
            start = system.start_of_members({**(guess or {}), **held}, parameters)
            guess = {k: v for k, v in start.items() if k not in held}
    return held, guess


def mapping(given: Any, model: str, what: str) -> dict[Any, Any]:
    """``given`` as a dict, an empty one of None."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f"{what} is {shown(given)}, not a mapping", model=model, fix=f"write {what}={{symbol: value}}")
    return dict(given or {})


def flat(relations: Sequence[Any]) -> list[Any]:
    """Relations in order; lists of them (from ``contacts_between``) are taken apart."""
    flat: list[Any] = []
    for relation in relations:
        flat.extend(relation) if isinstance(relation, list | tuple) else flat.append(relation)
    return flat


def checked_blocks(blocks: Sequence[Any], model: str) -> list[Any]:
    """The blocks of a model, in an order in which they can act; what consists of several is taken apart."""
    blocks = [part for block in blocks for part in getattr(block, "blocks", (block,))]
    for block in blocks:
        if getattr(block, "clock", None) is None:
            raise ModelError(
                f"{block!r} is no block",
                model=model,
                where="blocks",
                fix="use nsd.Sampled, nsd.Reset, nsd.Latch, nsd.Pulses, nsd.Ramp",
            )
    computed = [block.clock.computed for block in blocks]
    if computed != sorted(computed):
        raise ModelError(
            "a block of expressions follows one that a Python function computes",
            model=model,
            where="blocks",
            fix="list those with computed_by=... last: they act after the others",
        )
    return list(blocks)


def check_schemes(given: Any, systems: Sequence[Any], model: str) -> None:
    """Raise ``ModelError`` for what is no scheme, for systems that are not in the model, and for those without one."""
    for scheme in given.values() if isinstance(given, Mapping) else [given]:
        if not isinstance(scheme, Scheme):
            fix = "use nsd.MoreauJean(), nsd.ThetaGamma(), or {system: scheme}"
            raise ModelError(f"{scheme!r} is no scheme", model=model, where="scheme", fix=fix)
    if not isinstance(given, Mapping):
        return
    for key in given:
        if key not in systems:
            message = f"{getattr(key, 'name', key)!r} is no system of this model"
            raise ModelError(message, model=model, where="scheme", fix="the keys are the systems themselves")
    if missing := [s.name for s in systems if s not in given]:
        message = f"no scheme for {', '.join(missing)}"
        raise ModelError(message, model=model, where="scheme", fix="give each system one")
