"""What a verb was given as a policy, and how messages show what they were given. No torch here."""

from __future__ import annotations

from typing import Any

from bucketviz.errors import PolicyError, type_text
from bucketviz.records import Policy


def policy_of(policy: object, options: dict[str, Any]) -> Policy:
    """Gives the policy that a verb was given, as one object or as keywords.

    Raises:
        PolicyError: for an unknown field, for both at once, and for what is no policy.
    """
    unknown = set(options) - set(Policy.__dataclass_fields__)
    if unknown:
        known = ", ".join(Policy.__dataclass_fields__)
        raise PolicyError(f"unknown option {', '.join(sorted(unknown))}; a policy has {known}")
    if policy is None:
        return Policy(**options)
    if options:
        raise PolicyError(f"got a policy and also {', '.join(options)}; give the one or the other")
    if not isinstance(policy, Policy):
        raise PolicyError(f"got {shown(policy)} where a Policy belongs; name its fields, as in cap_mib=25")
    return policy


def shown(value: object) -> str:
    """Gives a value as a message shows it: short ones as they are, others by their type."""
    text = repr(value)
    return text if isinstance(value, int | float | str | dict) and len(text) < 60 else type_text(value)
