"""Only models that have a file here can be named by a release."""

from __future__ import annotations

import pytest

from understudy.errors import ReleaseError
from understudy.models import get
from understudy.models.base import Model
from understudy.models.product import ProductModel


def test_a_kind_is_its_file() -> None:
    assert get("product") is ProductModel
    assert issubclass(get("product"), Model)


@pytest.mark.parametrize(
    "kind", ["", "base", "size", "__init__", "Product", "../gate/noise", "os", "product.py", "a b"]
)
def test_anything_else_is_refused(kind: str) -> None:
    with pytest.raises(ReleaseError, match="knows no model"):
        get(kind)
