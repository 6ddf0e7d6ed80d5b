"""The budget options, checked before anything else happens."""

from __future__ import annotations

from typing import Final, TypedDict

from understudy.errors import UsageError

LONGEST_NUMBER: Final = 40
LARGEST_EXPONENT: Final = 100


class BudgetOptions(TypedDict):
    """What ``synthesize`` and ``plan`` take as their budget."""

    epsilon: str | None
    delta: str | None
    rho: str | None


def budget_options(epsilon: str | None, delta: str | None, rho: str | None) -> BudgetOptions:
    """The three options as exact texts; refuses what is no budget, reading nothing."""
    from understudy.privacy.request import requested

    options = BudgetOptions(epsilon=epsilon, delta=delta, rho=rho)
    for name in ("epsilon", "delta", "rho"):
        _check_length(name, options[name])
    requested(**options)
    return options


def _check_length(name: str, text: str | None) -> None:
    """An exact rational of "1e999999999" would fill the memory before it could be refused."""
    if text is None:
        return
    _, _, exponent = text.lower().partition("e")
    huge = exponent.lstrip("+-").isdigit() and int(exponent.lstrip("+-")) > LARGEST_EXPONENT
    if len(text) > LONGEST_NUMBER or huge:
        raise UsageError(f"--{name} must be a number such as 0.5 or 1/3, not a huge or tiny one")
