"""Does not say what it is, and its hyper-parameters can change under a running fit."""

from __future__ import annotations

from dataclasses import dataclass

from tests.broken.method import Sound

CAUGHT_BY = ("says_what_it_is", "has_a_privacy_section")


@dataclass(frozen=True)
class Broken(Sound):
    """Neither final nor summarised."""

    summary = ""


METHOD = Broken
