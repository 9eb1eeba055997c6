"""Diagnostics in plain words."""

from __future__ import annotations

from humanoid_bringup.viewer.plain_words import Finding, in_plain_words, of_silence


def test_what_is_wrong_comes_first_and_the_rest_is_counted() -> None:
    well = [Finding("ok", f"servo {number}", "answers") for number in range(20)]
    text = in_plain_words([*well, Finding("warning", "simulator", "slow"), Finding("error", "gait", "fallen <here>")])
    assert text.index("gait") < text.index("simulator") < text.index("servo")
    assert "fallen &lt;here&gt;" in text
    assert "and 14 more parts are well" in text
    assert "All is well" not in text
    assert in_plain_words(well[:1]).startswith("🟢 **All is well.**")


def test_silence_is_told_with_its_remedy() -> None:
    assert of_silence("r", 0.1, paused=False).level == "ok"
    assert "paused" in of_silence("r", 9.0, paused=True).text
    assert "no joint states for 9 s" in of_silence("r", 9.0, paused=False).text
