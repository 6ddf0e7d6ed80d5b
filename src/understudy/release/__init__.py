"""What may leave the house: tables, models, paid noisy counts and the card, kept in one folder."""

from understudy.release.release import Release, ReleasedModel, load

__all__ = ["Release", "ReleasedModel", "load"]
