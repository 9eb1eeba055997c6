"""What robot.yaml says, as typed values in SI units and radians."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.payload import Payload
from humanoid_description.servo_bus import ServoBus, read_servo_bus
from humanoid_description.strict_yaml import Section, read_yaml
from humanoid_description.urdf import NAME

BUS_IDS = range(0, 253)  # ids a Dynamixel servo can have; 253 is reserved and 254 is the broadcast
LAW_KEYS = {  # what a servo's law must be told, with the dimension
    "pd": {"stiffness": "angular stiffness", "damping": "angular damping"},
    "dynamixel_rx": {"compliance_margin": "angle", "compliance_slope": "angle", "punch": "ratio"},
    "dynamixel_pid": {"gain_p": "proportional gain", "gain_i": "integral gain", "gain_d": "derivative gain"},
}
OPTIONAL_SERVO_KEYS = {
    "resolution": "angle",
    "max_acceleration": "angular acceleration",
    "max_speed": "angular speed",
    "armature": "inertia",
    "coulomb_friction": "torque",
    "viscous_friction": "angular damping",
    "backlash": "angle",
}
TINY = 1e-12  # stands for "more than zero" in bounds that are included
CONTACT_KEYS = {  # what a contact must be told, with the dimension and the least value in SI units
    "normal_stiffness": ("stiffness", TINY),
    "normal_damping": ("damping", 0.0),
    "tangential_damping": ("damping", 0.0),
    "friction": ("ratio", 0.0),
}
GREATEST_EXPONENT = 3.0  # of a contact; balls have 1.5


@dataclass(frozen=True)
class Servo:
    """A kind of servo; humanoid_sim.servo says how it turns these into torque."""

    model: str
    """Name under which the maker sells it."""
    stall_torque: float
    """Torque at standstill, N m; the effort limit of its joints."""
    no_load_speed: float
    """Speed without load, rad/s; the velocity limit of its joints."""
    law: str
    """'pd', 'dynamixel_rx' or 'dynamixel_pid'."""
    resolution: float | None = None
    """Angle of one encoder count, rad; None if unknown."""
    max_acceleration: float | None = None
    """Greatest acceleration to plan with, rad/s^2; with max_speed, the servo itself limits its reference to it too."""
    max_speed: float | None = None
    """Speed to which the servo itself limits its reference, rad/s; None if it limits nothing."""
    armature: float = 0.0
    """Inertia of the motor as its joint feels it, kg m^2."""
    coulomb_friction: float = 0.0
    """N m."""
    viscous_friction: float = 0.0
    """N m s/rad."""
    backlash: float = 0.0
    """Play of the gear, rad."""
    stiffness: float = 0.0
    """Of the law 'pd', N m/rad."""
    damping: float = 0.0
    """Of the law 'pd', N m s/rad."""
    compliance_margin: float = 0.0
    """Of the law 'dynamixel_rx': error up to which the motor is not driven, rad."""
    compliance_slope: float = 0.0
    """Of the law 'dynamixel_rx': further error at which it is driven fully, rad."""
    punch: float = 0.0
    """Of the law 'dynamixel_rx': share of the voltage at the margin."""
    gain_p: float = 0.0
    """Of the law 'dynamixel_pid': share of the voltage per rad."""
    gain_i: float = 0.0
    """Of the law 'dynamixel_pid': share of the voltage per rad s."""
    gain_d: float = 0.0
    """Of the law 'dynamixel_pid': share of the voltage per rad/s."""


@dataclass(frozen=True)
class Joint:
    """A joint and the servo that moves it."""

    servo: str
    """Key of its servo."""
    lower: float
    """Least angle, rad."""
    upper: float
    """Greatest angle, rad."""
    bus_id: int | None
    """Id on the servo bus; None for a robot without one."""
    sign: int
    """+1 if the servo turns the way the joint does, -1 if it is mounted the other way round."""
    zero: float
    """Servo angle at which the joint is at zero, from the centre of its travel, rad."""
    port: str | None = None
    """Bus that its servo is on; None for the first."""


@dataclass(frozen=True)
class Foot:
    """A sole: distances of its edges from the origin of the foot's link, which lies on the ankle's axes, m."""

    link: str
    front: float
    rear: float
    left: float
    right: float
    depth: float
    """Height of the origin above the sole."""

    @property
    def corners_in_foot(self) -> tuple[tuple[float, float, float], ...]:
        """Corners of the sole in the foot's frame, m: front left, front right, rear right, rear left."""
        return (
            (self.front, self.left, -self.depth),
            (self.front, -self.right, -self.depth),
            (-self.rear, -self.right, -self.depth),
            (-self.rear, self.left, -self.depth),
        )


@dataclass(frozen=True)
class Contact:
    """Foot-ground contact of seed 003, eqs 3-5, per contact point."""

    law: str
    """'linear' (eq 3) or 'hunt_crossley' (eq 4)."""
    normal_stiffness: float
    """k_n, N/m."""
    normal_damping: float
    """b_n, N s/m."""
    tangential_damping: float
    """b_t, N s/m."""
    friction: float
    """mu, limit of tangential over normal force."""
    exponent: float = 1.0
    """n of eq 4, for 'hunt_crossley'."""


@dataclass(frozen=True)
class Imu:
    """Inertial sensor."""

    link: str
    position_in_link: tuple[float, ...]
    """m."""
    gyro_axes: str
    """Axes about which it measures turning: 'xyz' or 'xy'."""


@dataclass(frozen=True)
class RobotParameters:
    """All of a robot.yaml."""

    name: str
    summary: str
    base: str
    """'free', or 'sagittal' for a robot held in the plane of x and z."""
    numbers: Mapping[str, float | tuple[float, ...]]
    """What robot.urdf.xacro is drawn from."""
    servos: Mapping[str, Servo]
    joints: Mapping[str, Joint]
    """In the order in which every array of joint values is kept."""
    feet: Mapping[str, Foot]
    """Keys 'left' and 'right'."""
    contact: Contact
    imu: Imu
    legs: Mapping[str, tuple[str, ...]]
    """Links that make up the leg masses m1 ('left_leg') and m2 ('right_leg') of the three-mass model."""
    stand: Mapping[str, float]
    """Posture of standing: angle per joint, rad; joints that are not named stand at zero."""
    payloads: Mapping[str, tuple[Payload, ...]]
    """Named loads."""
    sources: Mapping[str, str]
    """Where each number comes from, by its place in the file."""
    bus: ServoBus | None = None
    """How the servos are wired; None for a robot without servo buses."""

    @property
    def servo_bus(self) -> ServoBus:
        """How the servos are wired; RobotError for a robot without servo buses."""
        if self.bus is None:
            raise RobotError(f"{self.name}: robot.yaml has no section 'bus'. Add it; docs/real_robot.md describes it.")
        return self.bus

    def __getstate__(self) -> dict[str, object]:
        """For another process: a read-only mapping cannot be sent, the mapping in it can."""
        return {key: dict(value) if isinstance(value, Mapping) else value for key, value in self.__dict__.items()}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Make the mappings read-only again."""
        for key, value in state.items():
            self.__dict__[key] = MappingProxyType(value) if isinstance(value, dict) else value


def read_parameters(file: Path) -> RobotParameters:
    """Read and check a robot.yaml by itself; robot.py checks it against the URDF."""
    top = read_yaml(file)
    servos = {key: _servo(entry) for key, entry in top.section("servos").sections()}
    joints = {key: _joint(entry, servos) for key, entry in top.section("joints").sections()}
    _refuse_shared_ids(top, joints)
    feet_section, legs_section = top.section("feet"), top.section("three_mass")
    stand = top.section("stand")
    if not NAME.match(top.text("name")):
        top.fail("name", f"is '{top.text('name')}'", "Use letters, digits and underscores, not starting with a digit.")
    parameters = RobotParameters(
        name=top.text("name"),
        summary=top.text("summary"),
        base=top.text("base", ("free", "sagittal")),
        numbers=MappingProxyType(_numbers(top.section("numbers"))),
        servos=MappingProxyType(servos),
        joints=MappingProxyType(joints),
        feet=MappingProxyType({side: _foot(feet_section.section(side)) for side in ("left", "right")}),
        contact=_contact(top.section("contact")),
        imu=_imu(top.section("imu")),
        legs=MappingProxyType({leg: legs_section.texts(leg) for leg in ("left_leg", "right_leg")}),
        stand=MappingProxyType(_stand(stand, joints)),
        payloads=MappingProxyType({name: _payload(name, entry) for name, entry in top.section("payloads").sections()}),
        sources=MappingProxyType(top.sources),
        bus=read_servo_bus(top.section("bus")) if "bus" in top else None,
    )
    _check_ports(top, joints, parameters.bus)
    for section in (top, feet_section, legs_section, stand):
        section.finish()
    return parameters


def _numbers(entry: Section) -> dict[str, float | tuple[float, ...]]:
    """What the xacro is drawn from; of a mass the dimension is known."""
    names = [key for key in entry.content if key != "source"]
    masses = {key: entry.number(key, "mass", low=TINY) for key in names if key.endswith("_mass")}
    return {key: masses[key] if key in masses else entry.free_number(key) for key in names}


def _servo(entry: Section) -> Servo:
    law = entry.text("law", tuple(LAW_KEYS))
    told = {key: entry.number(key, dimension, low=0.0) for key, dimension in LAW_KEYS[law].items()}
    if law == "dynamixel_rx" and told["compliance_slope"] == 0.0:
        entry.fail("compliance_slope", "is zero", "A servo needs some error to be driven fully; give it in rad or deg.")
    servo = Servo(
        model=entry.text("model"),
        stall_torque=entry.number("stall_torque", "torque", low=TINY),
        no_load_speed=entry.number("no_load_speed", "angular speed", low=TINY),
        law=law,
        **told,
        **{key: entry.number(key, dim, low=0.0) for key, dim in OPTIONAL_SERVO_KEYS.items() if key in entry},
    )
    entry.finish()
    return servo


def _joint(entry: Section, servos: Mapping[str, Servo]) -> Joint:
    lower, upper = entry.vector("range", "angle", 2)
    if lower >= upper:
        entry.fail("range", "has its lower end above its upper end", "Write [[lower, upper], unit].")
    sign = entry.integer("sign", -1, 1) if "sign" in entry else 1
    if sign == 0:
        entry.fail("sign", "is 0", "Write 1, or -1 for a servo that is mounted the other way round.")
    joint = Joint(
        servo=entry.text("servo", tuple(servos)),
        lower=lower,
        upper=upper,
        bus_id=entry.integer("id", BUS_IDS[0], BUS_IDS[-1]) if "id" in entry else None,
        sign=sign,
        zero=entry.number("zero", "angle") if "zero" in entry else 0.0,
        port=entry.text("port") if "port" in entry else None,
    )
    entry.finish()
    return joint


def _refuse_shared_ids(top: Section, joints: Mapping[str, Joint]) -> None:
    owner: dict[int, str] = {}
    for name, joint in joints.items():
        if joint.bus_id is not None and joint.bus_id in owner:
            problem = f"has the servo id {joint.bus_id}, which {owner[joint.bus_id]} has too"
            top.section("joints").fail(f"{name}.id", problem, "Give every servo on the bus its own id.")
        if joint.bus_id is not None:
            owner[joint.bus_id] = name


def _check_ports(top: Section, joints: Mapping[str, Joint], bus: ServoBus | None) -> None:
    for name, joint in joints.items():
        if joint.port is not None and (bus is None or joint.port not in bus.ports):
            known = did_you_mean(joint.port, bus.ports if bus else ())
            top.section("joints").fail(f"{name}.port", f"is '{joint.port}', which bus.ports does not name", known)
        if bus is not None and bus.imu_id is not None and joint.bus_id == bus.imu_id:
            problem = f"has the servo id {joint.bus_id}, which the inertial sensor has too"
            top.section("joints").fail(f"{name}.id", problem, "Give every device on the bus its own id.")


def _foot(entry: Section) -> Foot:
    edges = {key: entry.number(key, "length", low=0.0) for key in ("front", "rear", "left", "right", "depth")}
    foot = Foot(link=entry.text("link"), **edges)
    entry.finish()
    return foot


def _contact(entry: Section) -> Contact:
    law = entry.text("law", ("linear", "hunt_crossley"))
    if "exponent" in entry and law == "linear":
        entry.fail("exponent", "is given, but a linear contact has none", "Take it out, or write law: hunt_crossley.")
    contact = Contact(
        law=law,
        exponent=entry.number("exponent", "ratio", low=1.0, high=GREATEST_EXPONENT) if "exponent" in entry else 1.0,
        **{key: entry.number(key, dimension, low=least) for key, (dimension, least) in CONTACT_KEYS.items()},
    )
    entry.finish()
    return contact


def _imu(entry: Section) -> Imu:
    imu = Imu(
        link=entry.text("link"),
        position_in_link=entry.vector("position", "length", 3),
        gyro_axes=entry.text("gyro_axes", ("xyz", "xy")),
    )
    entry.finish()
    return imu


def _stand(entry: Section, joints: Mapping[str, Joint]) -> dict[str, float]:
    angles = entry.number_map("angles", "angle")
    for name in angles:
        if name not in joints:
            entry.fail(f"angles.{name}", "is not a joint of this robot", did_you_mean(name, joints))
    for name, joint in joints.items():
        if not joint.lower <= angles.get(name, 0.0) <= joint.upper:
            problem = "lies outside the joint's range" if name in angles else "is zero, outside the joint's range"
            entry.fail(f"angles.{name}", problem, f"Give an angle that joints.{name}.range allows.")
    return angles


def _payload(name: str, entry: Section) -> tuple[Payload, ...]:
    parts = []
    for part in entry.section_list("parts"):
        parts.append(
            Payload(
                link=part.text("link"),
                mass=part.number("mass", "mass", low=TINY),
                position_in_link=part.vector("position", "length", 3),
                name=name,
            )
        )
        part.finish()
    entry.finish()
    return tuple(parts)
