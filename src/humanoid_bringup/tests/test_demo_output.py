"""What a person sees of the demo."""

from __future__ import annotations

from pathlib import Path

from humanoid_bringup.demo_output import DemoOutput


def test_address_first_step_trouble_and_end_are_picked_out_and_all_is_kept(tmp_path: Path) -> None:
    addresses: list[str] = []
    shown: list[str] = []
    output = DemoOutput(tmp_path / "log", addresses.append, shown.append)
    lines = [
        "[sim] starting: humanoid sim",
        "[viewer] The page is at http://127.0.0.1:8080/",
        "[viewer] first step",
        "[viewer] first step",
        '[sim] {"simulated_s": 3.0}',
        "[adapt] died (status 1); its last lines above say why",
    ]
    for line in lines:
        print(line[:7], end="", file=output)
        print(line[7:], file=output)
    assert addresses == [output.url] == ["http://127.0.0.1:8080/"]
    assert output.first_step is not None
    assert [text.split()[0] for text in shown] == ["the", "[adapt]"]
    assert output.simulation == {"simulated_s": 3.0}
    output.close()
    assert (tmp_path / "log").read_text().splitlines() == lines
