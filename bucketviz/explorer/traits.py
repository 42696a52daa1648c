"""Traits that say in bucketviz's own words what they take."""

from __future__ import annotations

from typing import Any, NoReturn

import traitlets

from bucketviz.errors import ExplorerError, type_text


class TraitValueError(ExplorerError, traitlets.TraitError):
    """A trait is given a value of another type than it takes."""


class _Told(traitlets.TraitType[Any, Any]):
    """A trait whose ``help`` says what it takes."""

    def error(self, obj: object, value: object, error: Exception | None = None, info: str | None = None) -> NoReturn:
        """Raises what tells the user; traitlets calls it for a value of another type.

        Raises:
            TraitValueError: always.
        """
        raise TraitValueError(f"{self.name} takes {self.help}, got {_shown(value)}") from error


class Int(_Told, traitlets.Int[Any, Any]):
    """An int."""

    def validate(self, obj: object, value: Any) -> Any:
        """Gives an int; True and False are none."""
        return self.error(obj, value) if isinstance(value, bool) else super().validate(obj, value)


class Bool(_Told, traitlets.Bool[Any, Any]):
    """True or False."""


class Unicode(_Told, traitlets.Unicode[Any, Any]):
    """A str."""


class Names(_Told, traitlets.List[str]):
    """A list of str."""

    def __init__(self, **options: Any) -> None:
        super().__init__(traitlets.Unicode(), **options)

    def validate(self, obj: object, value: Any) -> Any:
        """Gives the list; a single name is none."""
        is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        return super().validate(obj, value) if is_list else self.error(obj, value)


class Instance(_Told, traitlets.Instance[Any]):
    """An object of one class."""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else type_text(value)
