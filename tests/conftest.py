"""What every test shares: reproducible Hypothesis runs and the folder of public tables."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.data_dir import data_dir

__all__ = ["data_dir"]

settings.register_profile(
    "understudy",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("understudy")
