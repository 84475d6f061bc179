"""The alerts and the dashboard that are handed out ask for figures that the server has."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from rag.api.http.metrics import Metrics
from tests.support.paths import ROOT

MONITORING = ROOT / "examples" / "monitoring"


def series() -> set[str]:
    """Every name that `/metrics` can print."""
    metrics = Metrics()
    metrics.observe("GET", "/search", 200, 0.1)
    names: set[str] = set()
    for family in metrics.registry.collect():
        ending = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(family.type, ("",))
        names |= {family.name + each for each in ending}
    return names


def expressions() -> list[str]:
    dashboard: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    alerts: dict[str, Any] = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return panels + [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]


def test_alerts_and_dashboard_ask_for_figures_that_there_are() -> None:
    asked = {name for text in expressions() for name in re.findall(r"\b(?:bookwise|process)_\w+", text)}
    assert len(asked) >= 8
    assert asked <= series()


def test_the_page_for_operators_names_every_figure_of_ours() -> None:
    page = (ROOT / "docs" / "guides" / "operations.md").read_text(encoding="utf-8")
    ours = {re.sub(r"_(?:bucket|sum|count)$", "", name) for name in series() if name.startswith("bookwise_")}
    assert ours <= set(re.findall(r"`(bookwise_\w+)`", page))
