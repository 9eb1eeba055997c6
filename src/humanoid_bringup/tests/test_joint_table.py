"""The table of joint variables."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

from humanoid_bringup.viewer.joint_table import joint_table

NAN = math.nan


def test_it_has_a_row_per_joint_and_leaves_out_what_nobody_tells() -> None:
    rows = {
        "knee": {"reference": 0.1, "angle": 0.125, "speed": -1.0, "torque": 2.5, "temperature": NAN},
        "hip": {"reference": NAN, "angle": 0.0, "speed": 0.0, "torque": 0.0, "temperature": NAN},
    }
    table = ET.fromstring(joint_table(rows).replace("<br>", "<br/>"))
    cells = [["".join(cell.itertext()) for cell in row] for row in table.findall("tr")]
    assert cells[1] == ["knee", "0.100", "0.125", "-1.00", "2.50"]
    assert cells[2][:2] == ["hip", "-"]
    assert "temperature" not in "".join(cells[0])


def test_a_hot_servo_is_red() -> None:
    row = {"reference": 0.0, "angle": 0.0, "speed": 0.0, "torque": 0.0}
    assert "#c0392b" in joint_table({"knee": {**row, "temperature": 70.0}})
    assert "#c0392b" not in joint_table({"knee": {**row, "temperature": 40.0}})
