"""What relations know of parameters of their systems: those in rates of states, where outputs are differentiated."""

import dataclasses
from collections.abc import Callable

from nsdgen.schemes.stages import DiscreteRelation
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.relations.relation_class import RelationClass


def with_parameters(relation: DiscreteRelation) -> DiscreteRelation:
    """A relation under a scheme, with those parameters of its systems that the scheme put into its expressions."""
    cls = relation.cls
    offered = [p.rename(s) for p in cls.participants for s in p.system.parameters]
    new = [s for s in dict.fromkeys(offered) if s not in cls.parameters]
    if not new:
        return relation
    found = frozenset().union(*(stage.free_symbols() for stage in relation.stages if stage is not None))
    found = found.union(*(c.value.free_symbols for c in relation.cuts))
    read = tuple(s for s in new if s in found)
    return dataclasses.replace(relation, cls=dataclasses.replace(cls, parameters=(*cls.parameters, *read)))


def with_arguments(description: ModelDescription, class_of: Callable[[int], RelationClass]) -> ModelDescription:
    """A description whose relations, by number, have arguments for all parameters of these classes."""
    relations = []
    for i, relation in enumerate(description.relations):
        cls = class_of(i)
        if len(cls.parameters) > len(relation.arguments):
            known = {
                p.rename(s): a
                for p, system in zip(cls.participants, relation.participants, strict=True)
                for s, a in zip(p.system.parameters, description.systems[system].arguments, strict=True)
            }
            more = tuple(known[s] for s in cls.parameters[len(relation.arguments) :])
            relation = dataclasses.replace(relation, arguments=(*relation.arguments, *more))
        relations.append(relation)
    return dataclasses.replace(description, relations=tuple(relations))
