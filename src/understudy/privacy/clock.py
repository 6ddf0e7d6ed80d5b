"""The one clock for times that are written to files: whole seconds in UTC."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from understudy.errors import UsageError


def now() -> str:
    """The present, such as "2026-01-31T12:00:00Z".

    ``SOURCE_DATE_EPOCH`` (seconds since 1970) replaces it, so that outputs can be compared.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.now(UTC) if fixed is None else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"SOURCE_DATE_EPOCH must be whole seconds since 1970, not {fixed!r}"
        ) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
