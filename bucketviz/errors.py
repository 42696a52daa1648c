"""Every error that bucketviz raises on purpose: one class per stage, one base to catch them all."""


class BucketvizError(Exception):
    """Base of all errors; the message says what was asked, what was found and what to do."""


class RecordError(BucketvizError):
    """A record cannot be read: not JSON, another schema version, or a field that is missing."""


class CaptureError(BucketvizError):
    """A model or graph cannot be captured or described."""


class PolicyError(BucketvizError, ValueError):
    """A policy asks for something that does not exist: an unknown mode or kind, a cap that is no size."""


class PlanError(BucketvizError):
    """A plan cannot be made, or is asked about a collective that it does not hold."""


class RewriteError(BucketvizError):
    """A plan does not fit the graph that it is applied to."""


class ExecutionError(BucketvizError):
    """A graph cannot be run over ranks: an op without a meaning there, inputs that do not fit, a rank that died.

    Attributes:
        execution: What the other ranks found, as a :class:`bucketviz.records.Execution`; None where nothing is left.
    """

    def __init__(self, message: str, execution: object = None) -> None:
        super().__init__(message)
        self.execution = execution


class SimulationError(BucketvizError):
    """An estimate is asked for a machine that is not known."""


class ExplorerError(BucketvizError):
    """The explorer cannot show or select what it was given."""


def type_text(value: object) -> str:
    """Gives the type of a value as messages name it, with its article.

    Example:
        >>> type_text("x"), type_text(5), type_text(None)
        ('a str', 'an int', 'None')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"
