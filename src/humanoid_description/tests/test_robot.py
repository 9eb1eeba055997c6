"""Loading robots, payloads on them, and new inertials for them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Inertial, Payload, Robot, RobotError, inertial, load_robot, robot_names

coordinate = st.floats(-0.3, 0.3)


def payloads(robot: Robot) -> st.SearchStrategy[Payload]:
    position = st.tuples(coordinate, coordinate, coordinate)
    return st.builds(Payload, st.sampled_from(sorted(robot.inertials)), st.floats(0.01, 2), position)


@given(data=st.data(), name=st.sampled_from(robot_names()))
def test_a_payload_moves_the_com_as_the_arithmetic_says(
    robots: dict[str, Robot], data: st.DataObject, name: str
) -> None:
    robot = robots[name]
    payload = data.draw(payloads(robot))
    loaded = robot.with_payloads([payload])
    position = (robot.poses(robot.parameters.stand)[payload.link] @ [*payload.position_in_link, 1])[:3]
    before = robot.com_in_base(robot.parameters.stand)
    expected = (robot.mass * before + payload.mass * position) / (robot.mass + payload.mass)
    np.testing.assert_allclose(loaded.com_in_base(robot.parameters.stand), expected, atol=1e-12)
    assert loaded.mass == pytest.approx(robot.mass + payload.mass, rel=1e-14)


@given(data=st.data(), name=st.sampled_from(robot_names()))
def test_taking_payloads_off_restores_the_model_to_the_last_bit(
    robots: dict[str, Robot], data: st.DataObject, name: str
) -> None:
    robot = robots[name]
    carried = data.draw(st.lists(payloads(robot), min_size=1, max_size=3))
    restored = robot.with_payloads(carried).without_payloads(reversed(carried))
    assert restored.urdf == robot.urdf
    assert restored.inertials == robot.inertials
    assert restored == robot


def test_the_loaded_text_says_what_the_loaded_robot_is(robots: dict[str, Robot], tmp_path: Path) -> None:
    loaded = load_robot("fibo_km", ["scenario_d", "torso:0.1:0,0,0.1", Payload("head", 0.05, (0.0, 0.0, 0.05))])
    assert loaded.mass == pytest.approx(robots["fibo_km"].mass + 0.35)
    reread = Robot(loaded.folder, loaded.parameters, loaded.urdf, {}, ())
    assert reread.inertials == loaded.inertials
    assert len(reread.urdf.split("payload")) == 4


def test_payloads_that_cannot_be_are_refused(robots: dict[str, Robot]) -> None:
    robot = robots["fibo_km"]
    with pytest.raises(RobotError, match=r"has no such link. Did you mean 'left_forearm'"):
        load_robot("fibo_km", ["left_forarm:0.2:0,0,0"])
    with pytest.raises(RobotError, match=r"none of that name.*scenario_a, scenario_b, scenario_c"):
        load_robot("fibo_km", ["scenario_x"])
    with pytest.raises(RobotError, match=r"does not carry it. It carries: nothing"):
        robot.without_payloads([Payload("torso", 0.1, (0.0, 0.0, 0.0))])


@pytest.mark.parametrize(
    ("payloads", "message"),
    [
        ("scenario_a", "Give a list"),
        ([None], "neither a Payload nor a text"),
        (["torso:1:1e160,0,0"], "inertial of torso with its payload"),
        (["torso:1e160:0,0,0"], "below a million"),
    ],
)
def test_payloads_of_the_wrong_kind_are_refused(payloads: Any, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        load_robot("fibo_km", payloads)


def test_numpy_values_are_written_as_plain_numbers(robots: dict[str, Robot]) -> None:
    loaded = robots["fibo_km"].with_payloads([Payload("torso", np.float64(0.2), np.array([0.0, 0.0, 0.1]))])
    adapted = loaded.with_inertials({"head": Inertial(np.float32(1), np.zeros(3), np.eye(3))})
    assert "np." not in adapted.urdf
    assert adapted.com_in_base({}).shape == (3,)
    assert loaded.without_payloads([Payload("torso", 0.2, (0.0, 0.0, 0.1))]) == robots["fibo_km"]


def test_a_robot_cannot_be_changed_from_outside(robots: dict[str, Robot]) -> None:
    robot = robots["fibo_km"]
    tensor = np.eye(3)
    adapted = robot.with_inertials({"head": Inertial(1.0, np.zeros(3), tensor)})
    tensor[0, 0] = -5
    assert adapted.inertials["head"].inertia_about_com[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        robot.inertials["head"].com_in_link[:] = 9
    with pytest.raises(TypeError):
        robot.parameters.stand["left_knee"] = 1  # type: ignore[index]


def test_a_robot_can_be_sent_to_another_process(robots: dict[str, Robot]) -> None:
    robot = load_robot("fibo_km", ["scenario_d"])
    assert robot.height == pytest.approx(0.53)  # with everything computed that can be
    sent = pickle.loads(pickle.dumps(robot))
    assert sent == robot
    assert sent.urdf == robot.urdf
    with pytest.raises(TypeError):
        sent.parameters.stand["left_knee"] = 1  # type: ignore[index]


def test_many_threads_may_ask_one_robot(robots: dict[str, Robot]) -> None:
    robot = robots["nao"]
    postures = [{"left_knee": -0.1 * index} for index in range(8)]
    expected = [robot.com_in_base(posture) for posture in postures]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(50):
            np.testing.assert_array_equal(list(pool.map(robot.com_in_base, postures)), expected)


bad_inertials = st.one_of(
    st.builds(inertial, st.sampled_from([-1.0, 0.0, np.nan, np.inf, -np.inf]), st.just([0, 0, 0]), st.just([1, 1, 1])),
    st.builds(inertial, st.floats(0.1, 1), st.just([0, np.nan, 0]), st.just([1, 1, 1])),
    st.builds(
        lambda a, b, excess: inertial(1, [0, 0, 0], [a, b, (a + b) * excess]),
        st.floats(1e-6, 1),
        st.floats(1e-6, 1),
        st.floats(1.01, 10),
    ),
    st.builds(lambda least: inertial(1, [0, 0, 0], [1, 1, least]), st.floats(-1, 0)),
)
good = inertial(1.0, [0, 0, 0], [0.01, 0.01, 0.01])


@given(bad=bad_inertials, link=st.sampled_from(["torso", "left_foot"]))
def test_inertials_are_replaced_all_or_none(robots: dict[str, Robot], bad: Inertial, link: str) -> None:
    robot = robots["fibo_km"]
    before = (robot.urdf, dict(robot.inertials))
    with pytest.raises(RobotError, match=f"inertial of {link}: .* Nothing was changed"):
        robot.with_inertials({"head": good, link: bad})
    with pytest.raises(RobotError, match=r"has no such link. .* Nothing was changed"):
        robot.with_inertials({"head": good, "tail": good})
    assert (robot.urdf, dict(robot.inertials)) == before


def test_replaced_inertials_are_the_whole_link(robots: dict[str, Robot]) -> None:
    loaded = robots["fibo_km"].with_payloads(
        [Payload("torso", 0.2, (0.0, 0.0, 0.0)), Payload("head", 0.1, (0.0, 0.0, 0.0))]
    )
    adapted = loaded.with_inertials({"torso": good})
    assert adapted.inertials["torso"] == good
    assert [payload.link for payload in adapted.payloads] == ["head"]
    assert adapted.kinematics.model.body("torso").mass[0] == 1.0


def test_a_users_own_robot_loads_by_its_path(own_robot: Path, edit: Callable[[Path, str, str], None]) -> None:
    edit(own_robot / "robot.yaml", "name: fibo_km", "name: mine")
    edit(own_robot / "robot.yaml", "foot_mass: [0.065, kg", "foot_mass: [0.165, kg")
    edit(own_robot / "robot.yaml", "range: [[-90, 90], deg]", "range: [[-45, 45], deg]")
    edit(
        own_robot / "robot.urdf.xacro",
        'size="${n.forearm_width} ${n.forearm_length}"',
        'size="0.02 0.02 ${n.forearm_length}"',
    )
    edit(own_robot / "robot.yaml", "numbers:\n", 'numbers:\n  tilt: [[0, 90, 0], deg, "mine"]\n')
    extra = '<visual><origin rpy="${n.tilt}"/><geometry><sphere radius="0.01"/></geometry></visual>'
    edit(own_robot / "robot.urdf.xacro", '<link name="torso">', f'<link name="torso">{extra}')
    mine = load_robot(own_robot)
    assert mine.name == "mine"
    assert 'robot name="mine"' in mine.urdf
    assert mine.mass == pytest.approx(3.636)
    assert mine.base_model.joints["head_yaw"].upper == pytest.approx(np.pi / 4)
    assert "0.02 0.02 0.08" in mine.urdf
    assert 'rpy="0.0 1.5707963267948966 0.0"' in mine.urdf
    assert load_robot(str(own_robot)) == mine


PLAIN_HEAD = """<joint name="head_pitch" type="revolute">
  <parent link="neck"/><child link="head"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" velocity="1"/>
</joint>
<link name="head"><xacro:sphere_body mass="0.17" radius="0.03"/></link>"""


def test_a_users_own_limits_must_agree_with_robot_yaml(own_robot: Path) -> None:
    file = own_robot / "robot.urdf.xacro"
    before, limb, after = file.read_text().partition('<xacro:limb name="head"')
    assert limb
    file.write_text(before + PLAIN_HEAD + after.partition("</xacro:limb>")[2])
    with pytest.raises(RobotError, match=r"joints\.head_pitch: the URDF has other limits, \(0\.0, 1\.0, 1\.0, 1\.0\)"):
        load_robot(own_robot)


def test_an_unknown_robot_is_named_with_what_there_is() -> None:
    with pytest.raises(
        RobotError, match=r"robot 'fibo': .*Did you mean 'fibo_km'.*ar601m, ar601m_planar, fibo_km, nao"
    ):
        load_robot("fibo")


def test_an_impossible_inertia_in_the_description_is_refused(
    own_robot: Path, edit: Callable[[Path, str, str], None]
) -> None:
    edit(own_robot / "robot.urdf.xacro", 'mass="${n.foot_mass}"', 'mass="${-n.foot_mass}"')
    with pytest.raises(RobotError, match=r"robot\.urdf\.xacro: inertial of left_foot: mass is -0\.065"):
        load_robot(own_robot)
