"""What a person can wish for on the page; whoever stands in the ROS graph carries it out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Walk:
    """Walk with a velocity until told otherwise."""

    robot: str
    forward: float
    """m/s."""
    sideways: float
    """m/s, to the left."""
    turn: float
    """rad/s, to the left."""


@dataclass(frozen=True)
class Stop:
    """Stop on both feet; a fall test is ended."""

    robot: str
    hold: bool = True
    """Whether a robot without a gait is stopped itself: it then follows nobody until its servos are switched on."""


@dataclass(frozen=True)
class Torque:
    """Have the servos of a real robot on, or all off at once; off, a fall test and a walk are ended too."""

    robot: str
    on: bool


@dataclass(frozen=True)
class Push:
    """Be pushed on the base."""

    robot: str
    forward: float
    """N, along the robot's heading."""
    sideways: float
    """N, to the left."""


@dataclass(frozen=True)
class Carry:
    """Carry a load on a link; of mass zero for none."""

    robot: str
    link: str
    mass: float
    """kg."""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m in the link."""


@dataclass(frozen=True)
class FallTest:
    """Do the fall tests."""

    robot: str


@dataclass(frozen=True)
class Confirm:
    """Go on with the fall tests: the robot has been put on its feet."""

    robot: str


@dataclass(frozen=True)
class HoldTest:
    """Stand still in a fall test, or go on and begin it anew."""

    robot: str
    on: bool


@dataclass(frozen=True)
class Adapt:
    """Adapt the model to the fall tests."""

    robot: str


@dataclass(frozen=True)
class Reset:
    """Put all robots of a simulated world back on their feet."""

    robot: str


@dataclass(frozen=True)
class Record:
    """Record the robot into a bag, or end the recording."""

    robot: str
    on: bool


@dataclass(frozen=True)
class Pause:
    """Let simulated time stand still, or go on."""

    on: bool


@dataclass(frozen=True)
class Speed:
    """Simulated over real time."""

    factor: float


@dataclass(frozen=True)
class RunProgram:
    """Let a program control the robot."""

    robot: str
    text: str
    """Python with a function control(robot)."""
    rate: float
    """Calls per second, Hz."""


@dataclass(frozen=True)
class StopProgram:
    """End the program; the robot stops and holds."""

    robot: str


Wish = (
    Walk | Stop | Torque | Push | Carry | FallTest | Confirm | HoldTest | Adapt | Reset | Record | Pause | Speed
    | RunProgram | StopProgram
)  # fmt: skip


def halts(wish: Wish) -> bool:
    """Whether it ends all that moves the robot, and so goes before everything else."""
    return isinstance(wish, Stop) or (isinstance(wish, Torque) and not wish.on)
