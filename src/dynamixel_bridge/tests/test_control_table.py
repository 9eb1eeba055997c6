"""Control tables: whole, without overlap, and right about signs and units."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamixel_bridge.control_table import READ_ONLY, Model, Row, model, model_of_number, models
from humanoid_description.errors import RobotError

ROWS = st.sampled_from([row for model in models().values() for row in model.rows.values()])


@pytest.mark.parametrize("one", models().values(), ids=lambda one: one.name)
def test_a_table_is_sound(one: Model) -> None:
    taken: dict[int, str] = {}
    for name, row in one.rows.items():
        for address in range(row.address, row.address + row.size):
            assert address not in taken, f"{name} and {taken[address]} overlap"
            taken[address] = name
        if row.area != READ_ONLY:
            assert row.low <= row.initial <= row.high, name
            assert len(row.bytes_of(row.low)) == len(row.bytes_of(row.high)) == row.size
    assert one.rows["baud_rate"].initial in one.bauds
    assert model_of_number(one.number) is one


def test_every_row_named_in_units_exists() -> None:
    assert len(models()) >= 20
    for one in models().values():
        assert all(row.scale > 0 for row in one.rows.values())
        if one.name != "CM-730":
            needed = {"torque_enable", "goal_position", "goal_speed", "torque_limit", "present_position"}
            assert needed | {"present_speed", "present_load", "present_voltage", "present_temperature"} <= set(one.rows)


@given(ROWS, st.data())
def test_counts_and_values_go_there_and_back(row: Row, data: st.DataObject) -> None:
    count = data.draw(st.integers(row.low, row.high)) if row.sign != "sign_bit_10" else data.draw(st.integers(0, 1023))
    assert row.count(row.bytes_of(count)) == count
    raw = int.from_bytes(row.bytes_of(count), "little", signed=row.sign == "signed")
    assert row.value_of(raw) == row.value(row.bytes_of(count))
    if row.area != READ_ONLY:
        assert row.nearest(row.value(row.bytes_of(count))) == count


@pytest.mark.parametrize(
    ("name", "row", "data", "value"),
    [
        ("RX-28", "present_position", b"\x00\x02", 0.0),
        ("RX-28", "present_position", b"\x00\x00", math.radians(-150)),
        ("RX-28", "present_speed", b"\x0a\x00", 10 * 0.111 * math.tau / 60),
        ("RX-28", "present_speed", b"\x0a\x04", -10 * 0.111 * math.tau / 60),
        ("RX-28", "present_load", b"\xff\x07", -1.0),
        ("MX-28", "present_position", b"\xff\x0f", math.radians(2047 * 0.087890625)),
        ("XM430-W350", "present_position", b"\xff\xff\xff\xff", math.radians(-2049 * 0.087890625)),
        ("XM430-W350", "present_speed", b"\xfe\xff\xff\xff", -2 * 0.229 * math.tau / 60),
        ("XM430-W350", "present_load", b"\x9c\xff", -100 * 0.00269 / 2.3),
        ("XL430-W250", "present_load", b"\x0c\xfe", -0.5),
        ("CM-730", "gyro_x", b"\x00\x02", 0.0),
        ("CM-730", "acceleration_z", b"\x80\x02", 9.80665),
        ("RX-64", "return_delay", b"\xfa", 0.0005),
    ],
)
def test_what_bytes_mean(name: str, row: str, data: bytes, value: float) -> None:
    assert model(name).rows[row].value(data) == pytest.approx(value, rel=2e-6, abs=1e-12)


def test_a_goal_beyond_the_travel_is_its_end() -> None:
    goal = model("RX-28").rows["goal_position"]
    assert (goal.nearest(-9.0), goal.nearest(9.0)) == (0, 1023)


def test_spans_baud_rates_and_errors() -> None:
    rx, x = model("RX-28"), model("XM430-W350")
    span = rx.span("present_position", "present_load")
    assert (span.address, span.size) == (36, 6)
    assert (rx.baud_count(1_000_000), x.baud_count(3_000_000)) == (1, 5)
    assert rx.error_names(0x24) == ("overheat", "overload")
    with pytest.raises(RobotError, match="has no baud rate 3000000"):
        rx.baud_count(3_000_000)
    with pytest.raises(RobotError, match="Did you mean 'RX-28'"):
        model("RX-82")
    assert model_of_number(4) is None
