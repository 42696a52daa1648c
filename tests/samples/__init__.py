"""Named little graphs, one for every kind and shape of trouble, each drawn in its docstring.

``SAMPLES[name]()`` builds one for 4 ranks (8 where a sub-group needs them), ``SAMPLES[name](world_size)`` for
another world. Group ``"0"`` is the world, group ``"1"`` every second rank. Inputs are f32[8, 4] unless the
drawing says otherwise; in a drawing, program order runs downwards and ``w`` is a wait.
"""

from samples import boundaries, gathers, oddities, order, reductions, steps
from samples.registry import SAMPLES, SMALL_CAP_MIB, shared_sample

__all__ = [
    "SAMPLES",
    "SMALL_CAP_MIB",
    "boundaries",
    "gathers",
    "oddities",
    "order",
    "reductions",
    "shared_sample",
    "steps",
]
