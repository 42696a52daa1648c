"""Names as nobody should choose them, and a graph that has them in nodes, modules, sources and stack traces."""

from dataclasses import replace

from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.records import Graph, Plan

HOSTILE = (
    "</svg></title><script>alert(1)</script>",
    '"];n0->n1;evil["',
    r"\N\G\l\"\\",
    "two\nlines\tand a\x00zero",
    "\u202egnp.exe\u202c \u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627",
    "=HYPERLINK('http://x')",
    "<b>bold</b>&amp;&#0;",
    "{left|right}<port>",
    "long" * 2_500,
    "%s{0}{name!r}",
    "]]><!--",
    "<TABLE>",
    "@SUM(1)",
    "\ud800 alone",
    "x\x00",
    "x\\x00",
)
STACK_TRACE = f'  File "</script><script>alert(1)</script>.py", line 7, in forward\n    {"x = x + 1; " * 950}'


def hostile_plan() -> Plan:
    """``over_the_cap`` under hostile names, two of which are the same once what no file can hold is escaped."""
    graph = bv.describe(SAMPLES["over_the_cap"]())
    new = {node.name: HOSTILE[index % len(HOSTILE)] for index, node in enumerate(graph.nodes)}
    assert len(set(new.values())) == len(graph.nodes), "every node has a name of its own"
    return bv.plan(_renamed(graph, new), cap_mib=SMALL_CAP_MIB)


def _renamed(graph: Graph, new: dict[str, str]) -> Graph:
    def names(old: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new[name] for name in old)

    nodes = []
    for index, node in enumerate(graph.nodes):
        collective = node.collective and node.collective._replace(
            input=new[node.collective.input], waits=names(node.collective.waits)
        )
        node = node._replace(
            name=new[node.name],
            inputs=names(node.inputs),
            writes=names(node.writes),
            storage=new.get(node.storage, node.storage),
            collective=collective,
            module=f"{HOSTILE[index % len(HOSTILE)]}.0.{HOSTILE[0]}",
            source=HOSTILE[1],
            stack_trace=STACK_TRACE,
        )
        nodes.append(node)
    return replace(graph, name=HOSTILE[0], nodes=tuple(nodes))
