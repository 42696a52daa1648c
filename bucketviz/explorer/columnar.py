"""Documents as short JSON: lists of like things become columns, words and lists of words that come again are told once.

    [{"row": "compute", "end": 3}, {"row": "compute", "end": 5}, …]
    {"$rows": [[["row", "end"], [{"$same": "compute", "times": 2}, [3, 5]]]], "of": {"$same": 0, "times": 2}}

assets/widget/src/whatif/columnar.ts reads them; what has no such column in it reads as what it is.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any

FEWEST = 8
"""Shorter lists stay as they are."""
_MOST_SHAPES = 4
_WORDS, _SCALARS = frozenset({str}), frozenset({str, int, float, type(None)})


def columnar_json(document: Any) -> str:
    """Gives a document as JSON, with columns in place of long lists."""
    return json.dumps(columnar(document), separators=(",", ":"))


def columnar(value: Any) -> Any:
    """Gives a value with columns in place of long lists; tuples count as lists."""
    if isinstance(value, dict):
        return {key: columnar(each) for key, each in value.items()}
    if not isinstance(value, list | tuple):
        return value
    types = set(map(type, value))
    if len(value) < FEWEST:
        return value if types <= _SCALARS else [columnar(each) for each in value]
    if types <= _SCALARS:
        return _column(value, types)
    if types == {dict}:
        return _rows(value)
    return _lists(value) if types <= {list, tuple} else [columnar(each) for each in value]


def read_columnar(text: str) -> Any:
    """Gives the document back; tuples have become lists.

    Raises:
        ValueError: for a text that is no JSON.
    """
    return plain(json.loads(text))


def plain(value: Any) -> Any:
    """Gives a value with the lists that its columns were made of."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$same" in value:
        return [value["$same"]] * value["times"]
    if "$words" in value:
        words = plain(value["$words"])
        return [words[at] for at in value["at"]]
    if "$rows" in value:
        shapes = [_plain_rows(keys, columns) for keys, columns in value["$rows"]]
        return [next(shapes[shape]) for shape in plain(value["of"])]
    if "$tuples" in value:
        return [list(each) for each in zip(*map(plain, value["$tuples"]), strict=True)]
    if "$lists" in value:
        flat = iter(plain(value["flat"]))
        return [[next(flat) for _ in range(length)] for length in plain(value["$lists"])]
    return {key: plain(each) for key, each in value.items()}


def _column(values: Sequence[Any], types: set[type]) -> Any:
    if len(types) == 1 and values.count(values[0]) == len(values):
        return {"$same": values[0], "times": len(values)}
    if types != _WORDS:
        return values
    found = _words(values)
    return values if found is None else {"$words": found[0], "at": found[1]}


def _words(values: Sequence[Hashable]) -> tuple[list[Any], list[int]] | None:
    """Gives each different value once, and which one is where; None where few come again."""
    words = dict.fromkeys(values)
    if 2 * len(words) > len(values):
        return None
    place = dict(zip(words, range(len(words)), strict=True))
    return list(words), [place[value] for value in values]


def _rows(values: Sequence[dict[str, Any]]) -> Any:
    shapes: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for value in values:
        shapes.setdefault(tuple(value), []).append(value)
    if len(shapes) > _MOST_SHAPES:
        return [columnar(value) for value in values]
    place = {keys: index for index, keys in enumerate(shapes)}
    return {
        "$rows": [(keys, [columnar([row[key] for row in rows]) for key in keys]) for keys, rows in shapes.items()],
        "of": columnar([place[tuple(value)] for value in values]),
    }


def _lists(values: Sequence[Sequence[Any]]) -> Any:
    texts = _texts(values)
    found = None if texts is None else _words(texts)
    if found is not None:
        return {"$words": columnar(found[0]), "at": found[1]}
    lengths = list(map(len, values))
    if lengths[0] > 0 and lengths.count(lengths[0]) == len(lengths):
        return {"$tuples": [columnar(column) for column in zip(*values, strict=True)]}
    return {"$lists": columnar(lengths), "flat": columnar(list(chain.from_iterable(values)))}


def _texts(values: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]] | None:
    """Gives lists of texts, or of lists of texts, as what can be told apart; None where there is anything else.

    Numbers are left out: 1, 1.0 and True would be one.
    """
    inner = set(map(type, chain.from_iterable(values)))
    if inner <= _WORDS:
        return list(map(tuple, values))
    if not inner <= {list, tuple} or not set(map(type, chain.from_iterable(chain.from_iterable(values)))) <= _WORDS:
        return None
    return [tuple(map(tuple, value)) for value in values]


def _plain_rows(keys: Sequence[str], columns: Sequence[Any]) -> Any:
    return (dict(zip(keys, each, strict=True)) for each in zip(*map(plain, columns), strict=True))
