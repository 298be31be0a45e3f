"""A segmenter of every registered name, given what it cannot cut without."""

from __future__ import annotations

from tracelode import registry
from tracelode.model.ports import Segmenter
from tracelode.profile.segment.bayes import BayesSegmenter
from tracelode.profile.segment.rules import RulesSegmenter

NAMES = registry.names("segmenters")
"""All registered names, sorted."""
COUNTS = b"""{"version": "1", "scheme": "1", "cuts": 20, "rest": 80, "slope": 1.0, "intercept": -1.0,
 "facts": {"pair": {"look edit": [9, 2], "edit test": [8, 3], "look look": [1, 60],
  "search look": [2, 15]}}}"""
RULES = b"""[[segment]]
command = "pytest"
stage = "test code"
[[segment]]
verb = "^(edit|create)$"
only = true"""
"""What the segmenters are given that cut nothing without."""


def made(name: str) -> Segmenter:
    """A segmenter of every registered name."""
    given = {"bayes": lambda: BayesSegmenter(COUNTS), "rules": lambda: RulesSegmenter(RULES)}
    found: Segmenter = given[name]() if name in given else registry.load("segmenters", name)
    return found
