"""Diagnostics in plain words: what is wrong, worst first, and whether the robots speak at all."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

SYMBOLS = {"ok": "🟢", "warning": "🟡", "error": "🔴", "silent": "⚪"}
ORDER = ("error", "warning", "silent", "ok")
LEVELS = {0: "ok", 1: "warning", 2: "error", 3: "silent"}
"""Of diagnostic_msgs/DiagnosticStatus."""
SILENT_AFTER = 2.0
"""s without joint states after which a robot counts as silent."""


@dataclass(frozen=True)
class Finding:
    """How one part is."""

    level: str
    """One of ORDER."""
    part: str
    text: str


def of_silence(robot: str, seconds: float, paused: bool) -> Finding:
    """Whether a robot speaks, from the time since its last joint state, s."""
    if seconds < SILENT_AFTER:
        return Finding("ok", robot, "its joints speak")
    if paused:
        return Finding("silent", robot, "is silent, as the simulation is paused: untick 'pause'")
    remedy = "see whether its program still runs"
    return Finding("silent", robot, f"no joint states for {seconds:.0f} s: {remedy}")


def in_plain_words(findings: Iterable[Finding]) -> str:
    """Markdown of all findings, worst first; parts of a robot that are well are counted, not listed."""
    found = sorted(findings, key=lambda finding: (ORDER.index(finding.level), finding.part))
    bad = [finding for finding in found if finding.level != "ok"]
    well = [finding for finding in found if finding.level == "ok"]
    lines = [f"{SYMBOLS[f.level]} **{html.escape(f.part)}**: {html.escape(f.text)}" for f in bad]
    if not bad:
        lines.append(f"{SYMBOLS['ok']} **All is well.**")
    lines += [f"{SYMBOLS['ok']} {html.escape(f.part)}: {html.escape(f.text)}" for f in well[:6]]
    if len(well) > 6:
        lines.append(f"{SYMBOLS['ok']} and {len(well) - 6} more parts are well")
    return "\n\n".join(lines)
