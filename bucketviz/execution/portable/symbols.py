"""Symbolic sizes: expressions as nested lists, symbols with what is known of them, made anew in another process."""

from __future__ import annotations

from typing import Any, cast

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.utils._sympy import functions

from bucketviz.errors import ExecutionError
from bucketviz.tensors import hint

Sym = torch.SymInt | torch.SymFloat | torch.SymBool
SYM_TYPES = (torch.SymInt, torch.SymFloat, torch.SymBool)

_CLASSES: dict[str, Any] = {
    **{
        name: getattr(sympy, name)
        for name in ("Add", "Mul", "Pow", "Rational", "Float", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "And", "Or", "Not")
    },
    **{
        name: getattr(functions, name)
        for name in (
            *("CleanDiv", "FloatTrueDiv", "FloorDiv", "IntTrueDiv", "Max", "Min", "Mod", "ModularIndexing"),
            *("PowByNatural", "PythonMod", "ToFloat", "TruncToInt"),
        )
    },
}
_ALIASES = {
    sympy.StrictLessThan: "Lt",
    sympy.LessThan: "Le",
    sympy.StrictGreaterThan: "Gt",
    sympy.GreaterThan: "Ge",
    sympy.Equality: "Eq",
    sympy.Unequality: "Ne",
}


class SymbolWriter:
    """Writes expressions and keeps what is known of their symbols.

    Attributes:
        symbols: By name, the hint of each; None where nothing is known.
    """

    def __init__(self) -> None:
        self.symbols: dict[str, int | None] = {}

    def write(self, value: Sym) -> list[Any]:
        """Gives ``["SymInt", ["Mul", 2, "s0"]]``."""
        for symbol in sorted(value.node.expr.free_symbols, key=str):
            if str(symbol) not in self.symbols:
                size = value.node.shape_env.create_symintnode(symbol, hint=None)
                self.symbols[str(symbol)] = hint(size)
        return [type(value).__name__, _tree(value.node.expr)]


class SymbolReader:
    """Makes the symbols of a document anew; they have other names than before."""

    def __init__(self, hints: dict[str, int | None], shape_env: ShapeEnv) -> None:
        self._shape_env = shape_env
        self._hints = hints
        self._symbols: dict[str, sympy.Expr] = {}
        self._values: dict[sympy.Expr, sympy.Integer] = {}

    def read(self, document: list[Any]) -> Sym:
        """Gives the size, number or truth that a :class:`SymbolWriter` wrote."""
        kind, tree = document
        expression = self._expression(tree)
        value = expression.xreplace(self._values)
        if kind == "SymBool":
            return self._shape_env.create_symboolnode(expression)
        if kind == "SymFloat":
            number: Any = self._shape_env.create_symfloatnode(
                expression, hint=float(value) if value.is_number else None
            )
        else:
            number = self._shape_env.create_symintnode(expression, hint=int(value) if value.is_number else None)
        return cast(Sym, number)

    def _expression(self, tree: Any) -> Any:
        if isinstance(tree, bool):
            return sympy.true if tree else sympy.false
        if isinstance(tree, int):
            return sympy.Integer(tree)
        if isinstance(tree, str):
            return self._symbol(tree)
        name, *arguments = tree
        if name not in _CLASSES:
            raise ExecutionError(f"the job holds a size with the function {name!r}, which is not known here")
        if name in ("Rational", "Float"):
            return _CLASSES[name](*arguments)
        return _CLASSES[name](*map(self._expression, arguments))

    def _symbol(self, name: str) -> sympy.Expr:
        if name not in self._symbols:
            known = self._hints[name]
            if known is None:
                self._symbols[name] = self._shape_env.create_unbacked_symint().node.expr
            else:
                self._symbols[name] = self._backed(name, known)
                self._values[self._symbols[name]] = sympy.Integer(known)
        return self._symbols[name]

    def _backed(self, name: str, known: int) -> sympy.Expr:
        from torch._dynamo.source import ConstantSource  # takes as long as torch itself, and few graphs have symbols

        return self._shape_env.create_symbol(
            known,
            source=ConstantSource(name),
            dynamic_dim=DimDynamic.DYNAMIC,
            constraint_dim=None,
            do_not_specialize_zero_one=True,
        )


def _tree(expression: Any) -> Any:
    if expression in (sympy.true, sympy.false):
        return bool(expression)
    if isinstance(expression, sympy.Symbol):
        return str(expression)
    if isinstance(expression, sympy.Integer):
        return int(expression)
    if isinstance(expression, sympy.Rational):
        return ["Rational", int(expression.p), int(expression.q)]
    if isinstance(expression, sympy.Float):
        return ["Float", str(expression)]
    name = _ALIASES.get(type(expression), type(expression).__name__)
    if name not in _CLASSES:
        raise ExecutionError(f"the size {expression} uses {name}, which a job cannot carry; use backend='lockstep'")
    return [name, *map(_tree, expression.args)]
