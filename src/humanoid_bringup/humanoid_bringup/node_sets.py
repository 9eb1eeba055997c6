"""Which programs run together, with which arguments: one description for `ros2 launch` and `./humanoid launch`.

A set turns its arguments, which are texts in both worlds, into command lines of `humanoid`. It starts nothing itself.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
from datetime import datetime
from pathlib import Path

from humanoid_bringup.namespaces import checked_namespace
from humanoid_bringup.node_set import Argument, NodeSet, Plan, Program, ShownRobot, Values
from humanoid_description import Robot, RobotError, load_robot

SWITCH = ("true", "false")
ROBOT = Argument("robot", "the robot: its name, or a folder with a robot.yaml", "fibo_km")
NAMESPACE = Argument("namespace", "the robot's namespace; empty for its name")
PAYLOAD = Argument("payload", "loads that hang on the robot, as LINK:MASS:X,Y,Z or by name, with spaces between")
WALK = Argument("walk", "whether a gait node stands by, which walks on cmd_vel", "true", SWITCH)
VIEWER = Argument("viewer", "whether the page in the browser is served", "false", SWITCH)
GHOST = Argument("ghost", "whether a simulated robot follows the same commands, for comparison", "false", SWITCH)
RECORD = Argument("record", "whether the robot's topics are recorded", "false", SWITCH)
BAG = Argument("bag", "new folder for the recording; empty for NAMESPACE_TIME here")
PORT_RATE = Argument("rate", "cycles of the servo bus per second, Hz", "100.0")
MODELS = Argument("models", "folder of the history of models; empty for models/ROBOT here")
SECONDS = Argument("seconds", "simulated time after which all ends, s", "inf")


def common(use_sim_time: str) -> tuple[Argument, ...]:
    """Arguments of every set."""
    return (
        Argument("use_sim_time", "whether nodes take the time from /clock", use_sim_time, SWITCH),
        Argument("log_level", "least level that is logged", "info", ("debug", "info", "warn", "error", "fatal")),
    )


def _flags(**options: str) -> list[str]:
    """Options as words; those that are empty are left out."""
    return [word for name, value in options.items() if value for word in (f"--{name.replace('_', '-')}", value)]


def _namespace(values: Values, robot: Robot) -> str:
    """Of the robot, without the slash in front: the one that is given, or its name."""
    return checked_namespace(values["namespace"] or robot.name).strip("/")


def _payloads(values: Values) -> list[str]:
    return [word for payload in values["payload"].split() for word in ("--payload", payload)]


def _beside(robot: str, namespace: str, values: Values) -> list[Program]:
    """What stands beside a robot that does not bring it along."""
    programs = []
    if values["walk"] == "true":
        arguments = ("node", "gait", robot, "--namespace", namespace, *_flags(rate=values["rate"]))
        programs.append(Program("gait", arguments))
    return [*programs, *_recorder(namespace, values)]


def _recorder(namespace: str, values: Values) -> list[Program]:
    if values["record"] != "true":
        return []
    bag = values["bag"] or f"{namespace}_{datetime.now():%Y%m%d_%H%M%S}"
    return [Program("recorder", ("bag", "record", bag, "--namespace", f"/{namespace}"), essential=False)]


def _viewer(values: Values) -> list[Program]:
    return [Program("viewer", ("view",), essential=False)] if values["viewer"] == "true" else []


def _ghost(robot: str, namespace: str, values: Values) -> list[Program]:
    """A simulated robot that hears what the real one hears, on a clock of its own."""
    if values["ghost"] != "true":
        return []
    name = f"{namespace}_ghost"
    heard = [(f"/{name}/{topic}", f"/{namespace}/{topic}") for topic in ("joint_trajectory", "adapted_description")]
    own = [(topic, f"/{name}{topic}") for topic in ("/clock", "/pause", "/speed", "/world", "/ball")]
    return [Program("ghost", ("sim", f"{name}={robot}"), (*heard, *own), essential=False)]


def _shown(robot: Robot, namespace: str, values: Values) -> tuple[ShownRobot, ...]:
    ghost = ShownRobot(f"{namespace}_ghost", robot, ghost_of=namespace)
    return (ShownRobot(namespace, robot), *((ghost,) if values["ghost"] == "true" else ()))


def _sim(values: Values) -> Plan:
    words = values["robot"].split()
    if not words:
        raise RobotError("sim: robot is empty. Name a robot, such as fibo_km.")
    if values["namespace"]:
        if len(words) > 1 or "=" in words[0]:
            raise RobotError("sim: namespace is for one robot. Write NAMESPACE=ROBOT for each in robot.")
        words = [f"{values['namespace']}={words[0]}"]
    robots = named_robots(words, values["payload"].split())
    first = next(iter(robots))
    options = _flags(world=values["world"], factor=values["factor"], rate=values["rate"], seconds=values["seconds"])
    gaits: list[Program] = []
    if values["engine"] == "gazebo":
        options += ["--engine", "gazebo", *(["--headless"] if values["headless"] == "true" else [])]
        if values["walk"] == "true":
            rate = _flags(rate=values["rate"])
            gaits = [
                Program(f"{name}_gait", ("node", "gait", str(robot.folder), "--namespace", name, *rate))
                for name, robot in robots.items()
            ]
    elif values["walk"] == "true":
        options += ["--walk"]
    simulator = Program("sim", ("sim", *words, *options, *_payloads(values)))
    shown = tuple(ShownRobot(name, robot) for name, robot in robots.items())
    return Plan((simulator, *gaits, *_recorder(first, values), *_viewer(values)), shown)


def named_robots(words: list[str], payloads: list[str]) -> dict[str, Robot]:
    """Robots by their namespaces, from words as `sim` takes them: ROBOT or NAMESPACE=ROBOT."""
    robots: dict[str, Robot] = {}
    loaded: dict[str, Robot] = {}
    for word in words:
        name, equals, which = word.rpartition("=")
        robot = loaded[which] = loaded.get(which) or load_robot(which, payloads)
        if not equals:
            alike = sum(other.name == robot.name for other in robots.values())
            name = robot.name if not alike else f"{robot.name}_{alike + 1}"
        name = checked_namespace(name).strip("/")
        if "/" in name or name in robots:
            raise RobotError(f"robot '{word}': '{name}' has several parts or is taken. Write another before the '='.")
        robots[name] = robot
    return robots


def _robot(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    namespace = _namespace(values, robot)
    ports = [word for port in values["ports"].split() for word in ("--port", port)]
    options = _flags(namespace=namespace, rate=values["rate"], at_end=values["at_end"])
    bridge = Program("bridge", ("bridge", "run", values["robot"], *ports, *options))
    beside = _beside(values["robot"], namespace, values)
    programs = (bridge, *beside, *_ghost(values["robot"], namespace, values), *_viewer(values))
    return Plan(programs, _shown(robot, namespace, values))


def _twin(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    namespace = _namespace(values, robot)
    folder = values["ports"] or str(Path(tempfile.gettempdir()) / f"twin_{namespace}_{os.getpid()}")
    options = _flags(ports=folder, faults=values["faults"], seed=values["seed"], seconds=values["seconds"])
    twin = Program("twin", ("twin", values["robot"], *options, *_payloads(values)))
    buses = robot.parameters.servo_bus.ports
    paths = " ".join(f"{bus}={folder}/{robot.name}_{bus}" for bus in buses)
    beside = _robot({**values, "ports": paths, "at_end": "hold"})
    bridge, *others = beside.programs
    waiting = Program(bridge.name, (*bridge.arguments, "--wait", "60"))
    return Plan((twin, waiting, *others), beside.robots)


def _fall_test(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    namespace = _namespace(values, robot)
    own = ("--namespace", namespace)
    test = _flags(protocol=values["protocol"], rate=values["rate"], helper=values["helper"])
    programs = [
        Program("fall_test", ("node", "fall_test", values["robot"], *own, *test)),
        Program("adapt", ("node", "adapt", values["robot"], *own, *_flags(models=values["models"])), patient=True),
        *_recorder(namespace, values),
        *_viewer(values),
    ]
    return Plan(tuple(programs), (ShownRobot(namespace, robot),))


def _view(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    return Plan(tuple(_viewer(values)), (ShownRobot(_namespace(values, robot), robot),))


def _replay(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    namespace = _namespace(values, robot)
    loop = ["--loop"] if values["loop"] == "true" else []
    player = ("bag", "play", values["bag"], *_flags(rate=values["rate"], start=values["start"]), *loop)
    programs = [Program("player", player, essential=False)]  # whoever listened goes on with what was heard
    if values["adapt"] == "true":
        own = ("--namespace", namespace, *_flags(models=values["models"]))
        programs.append(Program("adapt", ("node", "adapt", values["robot"], *own)))
    return Plan((*programs, *_viewer(values)), (ShownRobot(namespace, robot),))


def _demo(values: Values) -> Plan:
    robot = load_robot(values["robot"])
    real, ghost = robot.name, f"{robot.name}_ghost"
    world = {"robot": f"{real}={values['robot']} {ghost}={values['robot']}", "world": "robocup", "factor": "1.0"}
    world |= {"namespace": "", "walk": "true", "viewer": "false", "record": "false", "rate": "100.0"}
    world |= {"engine": "mujoco"}
    (simulator,) = _sim({**values, **world}).programs
    # The one stands for a real robot; its twin beside it walks on the same command, and follows the adapted model.
    heard = tuple((f"/{ghost}/{topic}", f"/{real}/{topic}") for topic in ("cmd_vel", "adapted_description"))
    simulator = Program("sim", (*simulator.arguments, "--real", real, "--json"), heard)
    tests = {"namespace": real, "protocol": "paper", "rate": "6", "helper": "reset", "viewer": "false"}
    beside = _fall_test({**values, **tests})
    viewer = Program("viewer", ("view", "--story", real), essential=False)
    shown = (ShownRobot(real, robot), ShownRobot(ghost, robot, ghost_of=real))
    # The robot shall walk at once: what is needed later may come up later.
    later = (dataclasses.replace(program, patient=True) for program in beside.programs)
    return Plan((simulator, viewer, *later), shown)


_SIM = NodeSet(
    "sim",
    "simulated robots in one world",
    (
        Argument("robot", "names or folders of robots, with spaces between; NAMESPACE=ROBOT to choose it", "fibo_km"),
        Argument("namespace", "namespace of the robot, if there is only one; empty for its name"),
        Argument("world", "what is around", "empty", ("empty", "robocup", "obstacles")),
        Argument("engine", "who moves the bodies; Gazebo must be installed", "mujoco", ("mujoco", "gazebo")),
        Argument("headless", "whether Gazebo has no window", "false", SWITCH),
        PAYLOAD,
        Argument("factor", "simulated over real time", "1.0"),
        Argument("rate", "of commands and joint states, Hz", "100.0"),
        SECONDS,
        WALK,
        RECORD,
        BAG,
        VIEWER,
        *common("true"),
    ),
    _sim,
)
_ROBOT = NodeSet(
    "robot",
    "the real robot on its servo buses",
    (
        ROBOT,
        NAMESPACE,
        Argument("ports", "serial ports of its buses, PATH or BUS=PATH, with spaces between", None),
        PORT_RATE,
        Argument("at_end", "what the servos do when the bridge ends", "hold", ("hold", "relax")),
        WALK,
        GHOST,
        RECORD,
        BAG,
        VIEWER,
        *common("false"),
    ),
    _robot,
)
_TWIN = NodeSet(
    "twin",
    "a simulated robot behind a virtual servo bus, and the bridge that drives it",
    (
        ROBOT,
        NAMESPACE,
        PAYLOAD,
        Argument("ports", "folder in which the virtual ports appear; empty for a new one"),
        Argument("faults", "YAML of what shall go wrong on the bus; empty for nothing"),
        Argument("seed", "of the faults", "0"),
        PORT_RATE,
        Argument("seconds", "time after which all ends, s", "inf"),
        WALK,
        GHOST,
        RECORD,
        BAG,
        VIEWER,
        *common("false"),
    ),
    _twin,
)
_FALL_TEST = NodeSet(
    "fall_test",
    "fall tests and adaptation, beside a robot that runs already",
    (
        ROBOT,
        NAMESPACE,
        Argument("protocol", "which tests", "12", ("paper", "6", "9", "12", "cop")),
        Argument("rate", "of the ramp, degrees/s", "1.36"),
        Argument("helper", "who puts the robot back on its feet", "person", ("person", "reset")),
        MODELS,
        RECORD,
        BAG,
        VIEWER,
        *common("false"),
    ),
    _fall_test,
)
_VIEW = NodeSet(
    "view",
    "looks at robots that run already",
    (ROBOT, NAMESPACE, Argument("viewer", VIEWER.description, "true", SWITCH), *common("false")),
    _view,
)
_REPLAY = NodeSet(
    "replay",
    "a recorded bag as if the robot were there",
    (
        Argument("bag", "folder of the bag, or its .mcap file", None),
        ROBOT,
        NAMESPACE,
        Argument("rate", "recorded over real time", "1.0"),
        Argument("start", "skip so many seconds", "0.0"),
        Argument("loop", "whether it begins anew at the end", "false", SWITCH),
        Argument("adapt", "whether the estimator listens, to be asked by the service adapt/run", "false", SWITCH),
        MODELS,
        VIEWER,
        *common("true"),
    ),
    _replay,
)
_DEMO = NodeSet(
    "demo",
    "a walking robot, its fall tests, its adaptation and the page in the browser",
    (
        ROBOT,
        PAYLOAD,
        MODELS,
        SECONDS,
        RECORD,
        BAG,
        *common("true"),
    ),
    _demo,
)
NODE_SETS = {chosen.name: chosen for chosen in (_SIM, _ROBOT, _TWIN, _FALL_TEST, _VIEW, _REPLAY, _DEMO)}
