"""``Sensitive``: an exact answer that can be carried but not looked at.

The seal stops accidents, not malice: Python cannot hide an object from somebody who is set on
seeing it. A test allows ``reveal`` in this room only.
"""

from __future__ import annotations

from typing import Any, Generic, Never, TypeVar, final

T = TypeVar("T")


@final
class Sensitive(Generic[T]):
    """A sealed exact answer: no length, no index, no truth value, no array, no pickle."""

    __slots__ = ("__exact",)

    def __init__(self, exact: T) -> None:
        self.__exact = exact

    def __repr__(self) -> str:
        return "<Sensitive>"

    def _sealed(self, *_: Any, **__: Any) -> Never:
        raise TypeError("a Sensitive answer is sealed; ask PrivateTable for a noisy one")

    __len__ = __getitem__ = __iter__ = __bool__ = __contains__ = _sealed
    __int__ = __float__ = __index__ = __array__ = __call__ = _sealed
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _sealed
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _sealed
    __getstate__ = __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _sealed
    __format__ = __hash__ = _sealed


def reveal(sealed: Sensitive[T]) -> T:
    """Open a sealed answer. For the mechanisms of this room only."""
    exact: T = sealed._Sensitive__exact  # type: ignore[attr-defined]
    return exact
