"""A small stand-in for Gazebo and its Python modules, so that the Gazebo side can be tried where Gazebo is not.

Names and answers are those of gz-sim 8: `position()` is None before the check is enabled and [] until the first step;
forces last one step; a model that is asked for appears in the next step, one that is removed goes after it; pose and
velocity of a link are told only when it has moved by 1e-6, as gz-physics has it, those of a collision or visual at
every step; an exception in a system switches it off. The physics are
MuJoCo's, made from the SDF text alone: rigid bodies, stock contact by collision masks, and the applied forces
integrated explicitly.
"""

from __future__ import annotations

import importlib
import math
import sys
import types
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import mujoco
import numpy as np

NULL, WORLD = 0, 1
POSE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Vector3d:
    _x: float = 0.0
    _y: float = 0.0
    _z: float = 0.0

    def x(self) -> float:
        return self._x

    def y(self) -> float:
        return self._y

    def z(self) -> float:
        return self._z

    def array(self) -> np.ndarray:
        return np.array([self._x, self._y, self._z])

    def __add__(self, other: Vector3d) -> Vector3d:
        return Vector3d(*(self.array() + other.array()).tolist())

    def __sub__(self, other: Vector3d) -> Vector3d:
        return Vector3d(*(self.array() - other.array()).tolist())

    def cross(self, other: Vector3d) -> Vector3d:
        return Vector3d(*np.cross(self.array(), other.array()).tolist())


@dataclass(frozen=True)
class Quaterniond:
    wxyz: tuple[float, float, float, float]

    def w(self) -> float:
        return self.wxyz[0]

    def x(self) -> float:
        return self.wxyz[1]

    def y(self) -> float:
        return self.wxyz[2]

    def z(self) -> float:
        return self.wxyz[3]

    def yaw(self) -> float:
        w, x, y, z = self.wxyz
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


@dataclass(frozen=True)
class Pose3d:
    _pos: Vector3d = Vector3d()
    _rot: Quaterniond = Quaterniond((1.0, 0.0, 0.0, 0.0))

    def pos(self) -> Vector3d:
        return self._pos

    def rot(self) -> Quaterniond:
        return self._rot

    def inverse(self) -> Pose3d:
        position, quaternion = np.zeros(3), np.zeros(4)
        mujoco.mju_negPose(position, quaternion, self._pos.array(), np.array(self._rot.wxyz))
        return make_pose(position, quaternion)

    def __mul__(self, other: Pose3d) -> Pose3d:
        position, quaternion = np.zeros(3), np.zeros(4)
        mine, others = ((one.pos().array(), np.array(one.rot().wxyz)) for one in (self, other))
        mujoco.mju_mulPose(position, quaternion, *mine, *others)
        return make_pose(position, quaternion)


def make_pose(position: np.ndarray, quaternion: np.ndarray) -> Pose3d:
    return Pose3d(Vector3d(*position.tolist()), Quaterniond(tuple(quaternion.tolist())))


class Ecm:
    """Entities, and the physics behind them."""

    def __init__(self, world: ET.Element) -> None:
        self.world_name = world.get("name", "")
        self.dt = float(world.findtext("physics/max_step_size", "0.001"))
        self.gravity = [float(word) for word in world.findtext("gravity", "0 0 -9.8").split()]
        self.models = {model.get("name", ""): model for model in world.findall("model")}
        self.ids: dict[tuple[str, ...], int] = {}
        self.keys: dict[int, tuple[str, ...]] = {}
        self._next_id = WORLD + 1
        self.checked: set[tuple[int, str]] = set()
        self.moved: set[str] = set()
        """Models that the physics have stepped."""
        self.joint_force: dict[int, float] = {}
        self.joint_reset: dict[tuple[int, str], float] = {}
        self.wrench: dict[int, np.ndarray] = {}
        self.reported: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        """Pose and twist of links as they were told last."""
        self.calls: list[str] = []
        self._rebuild()

    def _rebuild(self) -> None:
        """Make the physics anew after models came or went; the others keep their state."""
        state = self._state() if hasattr(self, "model") else {}
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.gravity, spec.option.timestep = self.gravity, self.dt
        self.effort: dict[str, float] = {}
        self.offset_of: dict[int, Pose3d] = {}
        """Where a collision or visual is in its link."""
        for name, model in self.models.items():
            _add_model(spec, name, model, self.effort)
            for kind in ("link", "joint"):
                for element in model.findall(kind):
                    self._identify((name, kind, element.get("name", "")))
            for link in model.findall("link"):
                for kind in ("collision", "visual"):
                    for element in link.findall(kind):
                        key = (name, kind, link.get("name", ""), element.get("name", ""))
                        self._identify(key)
                        place = _numbers(element.findtext("pose"))
                        self.offset_of[self.ids[key]] = make_pose(np.array(place[:3]), _quaternion(place[3:]))
            self._identify((name, "model"))
        for key in [key for key in self.ids if key[0] not in self.models]:
            del self.keys[self.ids.pop(key)]
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        for joint, (position, velocity) in state.items():
            if mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, joint) >= 0:
                self.data.joint(joint).qpos, self.data.joint(joint).qvel = position, velocity
        mujoco.mj_forward(self.model, self.data)
        self.body_of, self.address_of = {}, {}
        for key, entity in self.ids.items():
            if key[1] != "joint" and len(key) > 2:
                self.body_of[entity] = self.model.body(f"{key[0]}/{key[2]}").id
            elif key[1] == "joint" and f"{key[0]}/{key[2]}" in self.effort:
                joint = self.model.joint(f"{key[0]}/{key[2]}")
                self.address_of[entity] = {"qpos": int(joint.qposadr[0]), "qvel": int(joint.dofadr[0])}

    def _identify(self, key: tuple[str, ...]) -> None:
        if key not in self.ids:
            self.ids[key], self.keys[self._next_id] = self._next_id, key
            self._next_id += 1

    def _state(self) -> dict[str, tuple[Any, Any]]:
        joints = [self.model.joint(index).name for index in range(self.model.njnt)]
        return {name: (self.data.joint(name).qpos.copy(), self.data.joint(name).qvel.copy()) for name in joints}

    def create(self, model: ET.Element) -> bool:
        name = model.get("name", "")
        if name in self.models:
            return False
        self.models[name] = model
        self._rebuild()
        return True

    def remove(self, name: str) -> None:
        self.models.pop(name, None)
        self.moved.discard(name)
        self.checked = {(entity, what) for entity, what in self.checked if self.keys[entity][0] != name}
        self.reported = {entity: pose for entity, pose in self.reported.items() if self.keys[entity][0] != name}
        self._rebuild()

    def step(self) -> None:
        """One step of the physics, after which all forces are forgotten."""
        data = self.data
        for (entity, what), value in self.joint_reset.items():
            getattr(data, what)[self.address_of[entity][what]] = value
        mujoco.mj_fwdPosition(self.model, data)
        data.qfrc_applied[:], data.xfrc_applied[:] = 0.0, 0.0
        for entity, force in self.joint_force.items():
            name, _, joint = self.keys[entity]
            limit = self.effort[f"{name}/{joint}"]
            data.qfrc_applied[self.address_of[entity]["qvel"]] = min(max(force, -limit), limit)
        for entity, (force, torque) in self.wrench.items():
            body = self.body_of[entity]
            mujoco.mj_applyFT(self.model, data, force, torque, data.xpos[body], body, data.qfrc_applied)
        mujoco.mj_step(self.model, data)
        mujoco.mj_fwdPosition(self.model, data)
        mujoco.mj_fwdVelocity(self.model, data)
        self.joint_force.clear()
        self.wrench.clear()
        self.joint_reset.clear()
        self.moved = set(self.models)


def _numbers(text: str | None) -> list[float]:
    return [float(word) for word in (text or "0 0 0 0 0 0").split()]


def _rotation(rpy: list[float]) -> np.ndarray:
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _quaternion(rpy: list[float]) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, _rotation(rpy).ravel())
    return quaternion


def _add_model(spec: mujoco.MjSpec, name: str, model: ET.Element, effort: dict[str, float]) -> None:
    joints = {joint.findtext("child", ""): joint for joint in model.findall("joint")}
    pose = _numbers(model.findtext("pose"))
    static = model.findtext("static") == "true"
    bodies: dict[str, Any] = {}
    waiting = model.findall("link")
    while waiting:
        link = waiting.pop(0)
        title = link.get("name", "")
        joint = joints.get(title)
        parent = spec.worldbody if joint is None else bodies.get(joint.findtext("parent", ""))
        if parent is None:
            waiting.append(link)
            continue
        place = pose if joint is None else _numbers(joint.findtext("pose"))
        assert _numbers(link.findtext("pose")) == [0.0] * 6
        body = parent.add_body(name=f"{name}/{title}", pos=place[:3], quat=_quaternion(place[3:]))
        bodies[title] = body
        if joint is None and not static:
            body.add_freejoint(name=f"{name}/")
        elif joint is not None and joint.get("type") == "revolute":
            axis = joint.find("axis")
            assert axis is not None
            assert axis.find("dynamics") is None
            hinge = body.add_joint(name=f"{name}/{joint.get('name')}", axis=_numbers(axis.findtext("xyz")))
            limits = [float(axis.findtext(f"limit/{key}", "nan")) for key in ("lower", "upper")]
            hinge.range, hinge.limited = limits, True
            effort[hinge.name] = float(axis.findtext("limit/effort", "inf"))
        _add_link(body, link)
    links = list(bodies.values())
    for index, one in enumerate(links):
        for other in links[:index]:
            spec.add_exclude(bodyname1=one.name, bodyname2=other.name)


def _add_link(body: Any, link: ET.Element) -> None:
    inertial = link.find("inertial")
    if inertial is not None:
        place = _numbers(inertial.findtext("pose"))
        terms = {
            key: float(inertial.findtext(f"inertia/{key}", "0")) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        xx, yy, zz, xy, xz, yz = terms.values()
        R = _rotation(place[3:])
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        body.mass, body.ipos, body.explicitinertial = float(inertial.findtext("mass", "nan")), place[:3], True
        body.fullinertia = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    for collision in link.findall("collision"):
        place = _numbers(collision.findtext("pose"))
        shape = next(collision.iter("geometry"))[0]
        kinds = {"box": "BOX", "sphere": "SPHERE", "cylinder": "CYLINDER", "plane": "PLANE"}
        geom = body.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kinds[shape.tag]}"), pos=place[:3])
        geom.quat = _quaternion(place[3:])
        if shape.tag == "plane":
            geom.size = [20.0, 20.0, 0.1]
        elif shape.tag == "box":
            geom.size = [side / 2 for side in _numbers(shape.findtext("size"))]
        else:
            geom.size = [float(shape.findtext("radius", "nan")), float(shape.findtext("length", "0")) / 2, 0.0]
        mask = int(collision.findtext("surface/contact/collide_bitmask", "65535"))
        geom.contype = geom.conaffinity = mask


class World:
    def __init__(self, entity: int) -> None:
        assert entity == WORLD

    def name(self, ecm: Ecm) -> str:
        return ecm.world_name

    def model_by_name(self, ecm: Ecm, name: str) -> int:
        return ecm.ids.get((name, "model"), NULL)


class Model:
    def __init__(self, entity: int) -> None:
        self._entity = entity

    def valid(self, ecm: Ecm) -> bool:
        return self._entity in ecm.keys

    def name(self, ecm: Ecm) -> str:
        return ecm.keys[self._entity][0]

    def joint_by_name(self, ecm: Ecm, name: str) -> int:
        return ecm.ids.get((self.name(ecm), "joint", name), NULL)

    def link_by_name(self, ecm: Ecm, name: str) -> int:
        return ecm.ids.get((self.name(ecm), "link", name), NULL)


class Joint:
    def __init__(self, entity: int) -> None:
        self._entity = entity

    def enable_position_check(self, ecm: Ecm) -> None:
        ecm.checked.add((self._entity, "qpos"))

    def enable_velocity_check(self, ecm: Ecm) -> None:
        ecm.checked.add((self._entity, "qvel"))

    def _value(self, ecm: Ecm, what: str) -> list[float] | None:
        if (self._entity, what) not in ecm.checked:
            return None
        if ecm.keys[self._entity][0] not in ecm.moved:
            return []
        return [float(getattr(ecm.data, what)[ecm.address_of[self._entity][what]])]

    def position(self, ecm: Ecm) -> list[float] | None:
        return self._value(ecm, "qpos")

    def velocity(self, ecm: Ecm) -> list[float] | None:
        return self._value(ecm, "qvel")

    def set_force(self, ecm: Ecm, force: list[float]) -> None:
        (ecm.joint_force[self._entity],) = force

    def reset_position(self, ecm: Ecm, position: list[float]) -> None:
        (ecm.joint_reset[self._entity, "qpos"],) = position

    def reset_velocity(self, ecm: Ecm, velocity: list[float]) -> None:
        (ecm.joint_reset[self._entity, "qvel"],) = velocity


class Link:
    def __init__(self, entity: int) -> None:
        self._entity = entity

    def enable_velocity_checks(self, ecm: Ecm) -> None:
        ecm.checked.add((self._entity, "twist"))

    def _fixed(self, ecm: Ecm, kind: str) -> list[int]:
        model, _, link = ecm.keys[self._entity]
        return [entity for key, entity in ecm.ids.items() if key[:-1] == (model, kind, link)]

    def collisions(self, ecm: Ecm) -> list[int]:
        return self._fixed(ecm, "collision")

    def visuals(self, ecm: Ecm) -> list[int]:
        return self._fixed(ecm, "visual")

    def _told(self, ecm: Ecm) -> tuple[np.ndarray, np.ndarray]:
        """Pose and twist of the link that this is or is fixed to, as Gazebo tells them."""
        body, twist = ecm.body_of[self._entity], np.zeros(6)
        mujoco.mj_objectVelocity(ecm.model, ecm.data, mujoco.mjtObj.mjOBJ_XBODY, body, twist, 0)
        now = np.concatenate([ecm.data.xpos[body], ecm.data.xquat[body]]), twist
        if self._entity in ecm.offset_of:
            return now
        last = ecm.reported.get(self._entity)
        if last is None or np.abs(now[0] - last[0]).max() > POSE_TOLERANCE:
            ecm.reported[self._entity] = last = now
        return last

    def world_pose(self, ecm: Ecm) -> Pose3d:
        pose, _ = self._told(ecm)
        return make_pose(pose[:3], pose[3:]) * ecm.offset_of.get(self._entity, Pose3d())

    def world_linear_velocity(self, ecm: Ecm) -> Vector3d | None:
        angular = self.world_angular_velocity(ecm)
        if angular is None:
            return None
        pose, twist = self._told(ecm)
        return Vector3d(*twist[3:].tolist()) + angular.cross(self.world_pose(ecm).pos() - Vector3d(*pose[:3].tolist()))

    def world_angular_velocity(self, ecm: Ecm) -> Vector3d | None:
        if (self._entity, "twist") not in ecm.checked:
            return None
        _, twist = self._told(ecm)
        return Vector3d(*twist[:3].tolist())

    def add_world_wrench(self, ecm: Ecm, force: Vector3d, torque: Vector3d) -> None:
        wrench = np.array([[force.x(), force.y(), force.z()], [torque.x(), torque.y(), torque.z()]])
        ecm.wrench[self._entity] = ecm.wrench.get(self._entity, 0.0) + wrench


class Sensor:
    def __init__(self, entity: int) -> None:
        self._entity = entity

    def pose(self, ecm: Ecm) -> Pose3d | None:
        """Where something is in its link; Gazebo does not mind that it is no sensor."""
        return ecm.offset_of.get(self._entity)


class Message:
    """Any of Gazebo's messages: fields by name."""

    MODEL = 2

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


class Boolean(Message):
    data = False


class Element:
    """The plugin element as sdformat's Python shows it."""

    def __init__(self, element: ET.Element) -> None:
        self._element = element

    def get_string(self, key: str) -> str:
        return self._element.findtext(key, "")


@dataclass
class Server:
    """One world, run step by step."""

    world: ET.Element
    ecm: Ecm = field(init=False)
    pre_update: list[Callable[[Any, Ecm], None]] = field(default_factory=list)
    post_update: list[Callable[[Any, Ecm], None]] = field(default_factory=list)
    on_reset: list[Callable[[Any, Ecm], None]] = field(default_factory=list)
    paused: bool = False
    iterations: int = 0
    pending: list[Callable[[], bool]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    newest: Server | None = None

    def __post_init__(self) -> None:
        self.ecm = Ecm(self.world)
        Server.newest = self

    def run(self, blocking: bool, iterations: int, paused: bool) -> bool:
        assert blocking
        self.paused = paused
        for _ in range(iterations):
            self.iterate()
        return True

    def iterate(self) -> None:
        if not self.paused:
            self.iterations += 1
        dt = timedelta(seconds=0.0 if self.paused else self.ecm.dt)
        info = types.SimpleNamespace(
            sim_time=timedelta(seconds=round(self.iterations * self.ecm.dt, 6)), dt=dt, paused=self.paused
        )
        waiting, self.pending = self.pending, []
        for command in waiting:
            command()
        for callback in self.pre_update:
            callback(info, self.ecm)
        if not self.paused:
            self.ecm.step()
        for callback in self.post_update:
            callback(info, self.ecm)
        for name in self.gone:
            self.ecm.remove(name)
        self.gone.clear()

    def reset(self) -> None:
        """Back to the beginning, as the service `control` does it."""
        self.iterations = 0
        self.ecm = Ecm(self.world)
        for callback in self.on_reset:
            callback(None, self.ecm)

    def serve(self, path: str, request: Any) -> bool:
        self.ecm.calls.append(path.removeprefix(f"/world/{self.ecm.world_name}/"))
        if self.ecm.calls[-1] == "create":
            model = ET.fromstring(request.sdf).find("model")
            assert model is not None
            assert not request.allow_renaming
            assert model.get("name") == request.name
            self.pending.append(lambda: self.ecm.create(model))
        elif self.ecm.calls[-1] == "remove":
            assert request.type == Message.MODEL
            self.pending.append(lambda: self.gone.append(request.name) is None)
        elif self.ecm.calls[-1] == "control":
            self.paused = request.pause
        else:
            return False
        return True


class TransportNode:
    def request(self, path: str, request: Any, kind: type, answer: type, timeout: int) -> tuple[bool, Any]:
        assert isinstance(request, kind)
        assert Server.newest is not None
        return True, answer(data=Server.newest.serve(path, request))


class TestFixture:
    __test__ = False

    def __init__(self, file: str) -> None:
        world = ET.parse(file).getroot().find("world")
        assert world is not None
        assert world.find("plugin/module_name") is None, "gz-sim8 crashes on fixture and loader"
        self._server = Server(world)

    def on_pre_update(self, callback: Callable[[Any, Ecm], None]) -> None:
        self._server.pre_update.append(callback)

    def on_post_update(self, callback: Callable[[Any, Ecm], None]) -> None:
        self._server.post_update.append(callback)

    def finalize(self) -> TestFixture:
        return self

    def server(self) -> Server:
        return self._server


def load_world(text: str, systems: bool = True) -> Server:
    """What `gz sim` makes of a world with the python-system-loader, or without."""
    world = ET.fromstring(text).find("world")
    assert world is not None
    server = Server(world)
    for plugin in world.findall("plugin"):
        module = plugin.findtext("module_name")
        if module is not None and systems:
            _load_system(server, importlib.import_module(module).get_system(), plugin)
    return server


def _load_system(server: Server, system: Any, plugin: ET.Element) -> None:
    working = [True]

    def guarded(call: Callable[[Any, Ecm], None]) -> Callable[[Any, Ecm], None]:
        def callback(info: Any, ecm: Ecm) -> None:
            if working[0]:
                try:
                    call(info, ecm)
                except Exception as error:
                    working[0] = False
                    print(f"[Err] {error}", file=sys.stderr)

        return callback

    system.configure(WORLD, Element(plugin), server.ecm, None)
    server.pre_update.append(guarded(system.pre_update))
    server.on_reset.append(guarded(system.reset))
    server.system = system  # type: ignore[attr-defined]
    server.working = working  # type: ignore[attr-defined]


def install(set_module: Callable[[str, types.ModuleType], None]) -> None:
    """Make Harmonic's modules importable, through a function that puts them among the loaded ones."""
    contents: dict[str, dict[str, Any]] = {
        "gz": {},
        "gz.math7": {"Vector3d": Vector3d, "Quaterniond": Quaterniond, "Pose3d": Pose3d},
        "gz.sim8": {
            **{kind.__name__: kind for kind in (World, Model, Joint, Link, Sensor, TestFixture)},
            "K_NULL_ENTITY": NULL,
            "world_entity": lambda ecm: WORLD,
        },
        "gz.transport13": {"Node": TransportNode},
        "gz.msgs10": {},
        "gz.msgs10.boolean_pb2": {"Boolean": Boolean},
        "gz.msgs10.entity_pb2": {"Entity": type("Entity", (Message,), {})},
        "gz.msgs10.entity_factory_pb2": {"EntityFactory": type("EntityFactory", (Message,), {})},
        "gz.msgs10.world_control_pb2": {"WorldControl": type("WorldControl", (Message,), {})},
    }
    for name, members in contents.items():
        module = types.ModuleType(name)
        module.__dict__.update(members, __path__=[])
        set_module(name, module)
