"""Where merged nodes come from: the metadata of the members, kept on every new node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch.fx as fx
from torch.fx.traceback import NodeSource, NodeSourceAction

PASS_NAME = "bucketviz"
_EMPTY: dict[str, Any] = {"nn_module_stack": "", "fwd_nn_module_stack": "", "stack_trace": "", "custom": {}}


def note_provenance(members: Sequence[fx.Node], new_nodes: Sequence[fx.Node]) -> None:
    """Gives every new node the first member's place in the model, and the places of all members.

    ``meta[key]`` is the first member's, ``meta["bucketing_<key>_sources"]`` lists all members' (each stack trace
    once), ``meta["from_node"]`` names every member. The lists are one for all nodes: a bucket of M members has 3 M.

    Source: ``_populate_node_meta`` in torch/_inductor/fx_passes/bucketing.py.
    """
    places = {key: members[0].meta.get(key, empty) for key, empty in _EMPTY.items()}
    sources = {f"bucketing_{key}_sources": _sources(members, key) for key in _EMPTY}
    actions = [NodeSourceAction.CREATE, NodeSourceAction.REPLACE]
    origins = [NodeSource(member, PASS_NAME, actions) for member in members]
    for node in new_nodes:
        node.meta.update(places, from_node=origins, **sources)


def _sources(members: Sequence[fx.Node], key: str) -> list[Any]:
    found = [member.meta[key] for member in members if member.meta.get(key)]
    return list(dict.fromkeys(found)) if key == "stack_trace" else found
