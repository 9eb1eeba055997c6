"""One self-contained HTML page about an adaptation: tests, predictions, masses, the load, traces, and what changed."""

from __future__ import annotations

import base64
import difflib
import html
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Polygon
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from humanoid_adapt.estimator import Adaptation
from humanoid_adapt.limbs import ramp_vector
from humanoid_adapt.recording import ATTITUDE, Recording
from humanoid_adapt.three_masses import three_masses
from humanoid_adapt.tip import vertical_over_time
from humanoid_description import Robot
from humanoid_description.attitude import Attitude
from humanoid_sim.simulation import Simulation

Array = NDArray[np.float64]
STYLE = "body{font:15px sans-serif;max-width:1000px;margin:2em auto;color:#222}table{border-collapse:collapse}" + (
    "td,th{padding:3px 12px;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}"
    "img{max-width:100%}pre{font-size:12px;background:#f6f6f6;padding:8px;overflow:auto;max-height:30em}"
    ".old{color:#b00}.new{color:#080}"
)
VIEWS = (("from the left", 0), ("from the front", 1))
"""Drawings and the horizontal axis of each: x forwards, y to the left."""


def page(before: Robot, found: Adaptation, recordings: Sequence[Recording], source: str) -> str:
    """The page as text; `source` says where the tests come from."""
    parts = [
        f"<h1>{html.escape(before.name)} adapted to {html.escape(source)}</h1>",
        _summary(found),
        "<h2>Tests</h2>",
        _tests(found),
        _picture(_tip_figure(found)),
        "<h2>Centre of mass and three masses</h2>",
        _picture(_mass_figure(before, found)),
        "<h2>Where the load is</h2>",
        _picture(_place_figure(found)),
    ]
    if recordings:
        parts += ["<h2>Simulated and measured</h2>", *_traces(found.robot, recordings)]
    parts += ["<h2>What changed in the URDF</h2>", _difference(before.urdf, found.robot.urdf)]
    title = f"{before.name}: adaptation"
    head = f"<meta charset='utf-8'><title>{title}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>" + "\n".join(parts) + "</body></html>\n"


def _summary(found: Adaptation) -> str:
    rows = "".join(
        f"<tr><td>{axis}</td><td>{1e3 * old:.1f}</td><td>{1e3 * new:.1f}</td><td>{1e3 * sd:.1f}</td></tr>"
        for axis, old, new, sd in zip("xyz", found.com_before, found.com_in_base, found.com_sd, strict=True)
    )
    load = "No load is seen."
    if found.link is not None:
        chance = 100 * found.places[found.place]
        where = f"<b>{found.link}</b> ({found.place}, {chance:.0f} %)"
        load = f"Most probably a load of {found.payload_mass:.2f} kg on {where}."
    table = (
        f"<table><tr><th>centre of mass, mm</th><th>before</th><th>after</th><th>give or take</th></tr>{rows}</table>"
    )
    return f"<p>{load} The robot weighs {found.mass:.3f} kg, give or take {found.mass_sd:.3f} kg.</p>{table}"


def _tests(found: Adaptation) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(one.name)}</td><td>{one.tip_deg:.2f}</td><td>{one.tip_deg + one.before_deg:.2f}</td>"
        f"<td>{one.tip_deg + one.after_deg:.2f}</td><td>{one.score:+.1f}</td></tr>"
        for one in found.residuals
    )
    refused = "".join(f"<li>not used: {html.escape(reason)}</li>" for reason in found.refused.values())
    titles = ("ankle angle at the tip, degrees", "measured", "model before", "adapted", "score")
    head = "".join(f"<th>{title}</th>" for title in titles)
    return f"<table><tr>{head}</tr>{rows}</table><ul>{refused}</ul>"


def _picture(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return f"<img alt='' src='data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}'>"


def _tip_figure(found: Adaptation) -> Figure:
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.add_subplot()
    names = [one.name for one in found.residuals]
    places = np.arange(len(names))
    axes.bar(places - 0.2, [one.before_deg for one in found.residuals], 0.4, label="model before", color="#c66")
    axes.bar(places + 0.2, [one.after_deg for one in found.residuals], 0.4, label="adapted", color="#484")
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xticks(places, names, rotation=30, ha="right")
    axes.set_ylabel("predicted - measured, deg")
    axes.legend()
    return figure


def _mass_figure(before: Robot, found: Adaptation) -> Figure:
    figure = Figure(figsize=(9, 5), layout="constrained")
    spreads = [(part.com_in_base, part.com_covariance) for part in three_masses(found)]
    spreads.append((found.com_in_base, found.com_covariance))
    for index, (title, axis) in enumerate(VIEWS, start=1):
        axes = figure.add_subplot(1, 2, index)
        _draw_robot(axes, before, axis)
        for robot, color, label in ((before, "#c66", "before"), (found.robot, "#484", "adapted")):
            parts = robot.three_mass(robot.parameters.stand).masses
            axes.scatter(
                [part.com_in_base[axis] for part in parts],
                [part.com_in_base[2] for part in parts],
                s=[80 * part.mass for part in parts],
                color=color,
                alpha=0.7,
                label=f"three masses {label}",
            )
            com = robot.com_in_base(robot.parameters.stand)
            axes.plot(com[axis], com[2], "+", color=color, markersize=14, label=f"centre of mass {label}")
        for centre, covariance in spreads:
            axes.add_patch(_ellipse(centre, covariance, axis))
        if found.link is not None:
            load = before.poses(before.parameters.stand)[found.link] @ [*found.payload_position, 1.0]
            chance = 100 * found.places[found.place]
            label = f"load of {found.payload_mass:.2f} kg ({chance:.0f} %)"
            axes.plot(load[axis], load[2], "X", color="#26c", markersize=9, label=label)
        axes.set_aspect("equal")
        axes.set_title(title)
        axes.set_xlabel("x, m" if axis == 0 else "y, m")
        axes.set_ylabel("z, m")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _ellipse(centre: Array, covariance: Array, axis: int) -> Ellipse:
    """Where a point (m) with a covariance (m^2) is with 95 %, as seen in a drawing."""
    spread, turn = np.linalg.eigh(covariance[np.ix_([axis, 2], [axis, 2])])
    angle = float(np.degrees(np.arctan2(turn[1, 1], turn[0, 1])))
    width, height = 2 * 2.4477 * np.sqrt(np.maximum(spread[::-1], 0.0))  # 95 % of a Gaussian in two dimensions
    return Ellipse((centre[axis], centre[2]), width, height, angle=angle, fill=False, color="#484")


def _draw_robot(axes: Axes, robot: Robot, axis: int) -> None:
    """Shapes of the links as seen along the other horizontal axis."""
    poses = robot.poses(robot.parameters.stand)
    for link, shapes in robot.base_model.shapes.items():
        for shape in shapes:
            if shape.kind == "box":
                half = np.array(shape.size) / 2
            elif shape.kind == "cylinder":
                half = np.array([shape.size[0], shape.size[0], shape.size[1] / 2])
            else:
                half = np.full(3, shape.size[0])
            pose = poses[link] @ shape.T_link_shape
            corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
            seen = (corners @ pose[:3, :3].T + pose[:3, 3])[:, [axis, 2]]
            low, high = seen.min(axis=0), seen.max(axis=0)
            outline = [low, (high[0], low[1]), high, (low[0], high[1])]
            axes.add_patch(Polygon(outline, facecolor="#dde", edgecolor="#99a", linewidth=0.6, alpha=0.6))


def _place_figure(found: Adaptation) -> Figure:
    figure = Figure(figsize=(9, 2.4), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(list(found.places), [100 * value for value in found.places.values()], color="#468")
    axes.set_xlim(0, 100)
    axes.set_xlabel("probability, %")
    return figure


def _traces(model: Robot, recordings: Sequence[Recording]) -> list[str]:
    """Each fall, replayed by the adapted model in simulation with the recorded commands."""
    simulation = Simulation({"twin": model})
    return [
        f"<details><summary>{html.escape(recording.test.name)}</summary>"
        f"{_picture(_trace_figure(simulation, model, recording))}</details>"
        for recording in recordings
        if recording.test.falls
    ]


def _trace_figure(simulation: Simulation, model: Robot, recording: Recording) -> Figure:
    ramp = ramp_vector(model, recording.test.support_feet, recording.test.direction)
    chosen = np.flatnonzero(ramp)[0]
    steps = round(float(np.median(np.diff(recording.time))) / simulation.dt)
    _begin_as_recorded(simulation, model, recording)
    angle, turning = np.zeros(recording.time.size), np.zeros((recording.time.size, 3))
    for index, command in enumerate(recording.command):
        simulation.command("twin", command.tolist())
        simulation.step(steps)
        seen = simulation.observe("twin")
        angle[index], turning[index] = seen.joint_position[chosen], seen.angular_velocity
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    since = recording.time - recording.ramp_start
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    left.plot(since, np.degrees(recording.position[:, chosen]), label="measured")
    left.plot(since, np.degrees(angle), label="simulated")
    left.set_ylabel(f"{model.joint_names[chosen]}, deg")
    about = 1 if recording.test.direction in ("forward", "backward") else 0
    right.plot(since, recording.angular_velocity[:, about], label="measured")
    right.plot(since, turning[:, about], label="simulated")
    right.set_ylabel(f"turning rate about {'xy'[about]}, rad/s")
    for axes in (left, right):
        axes.set_xlabel("since the ramp began, s")
        axes.legend()
    return figure


def _begin_as_recorded(simulation: Simulation, model: Robot, recording: Recording) -> None:
    """Put the simulated robot into posture and attitude of the first sample, its lowest sole on the ground."""
    simulation.reset()
    part, posture = simulation.scene.parts[0], dict(zip(model.joint_names, recording.position[0].tolist(), strict=True))
    simulation.scene.place(part, posture)
    poses = model.poses(posture)
    up_in_base = poses[model.parameters.imu.link][:3, :3] @ vertical_over_time(recording)[0]
    R_world_base = Attitude(*ATTITUDE, up=up_in_base).R_level_sensor
    corners = [
        (poses[foot.link] @ [x, y, -foot.depth, 1.0])[:3]
        for foot in model.parameters.feet.values()
        for x in (-foot.rear, foot.front)
        for y in (-foot.right, foot.left)
    ]
    x, y, z, w = Rotation.from_matrix(R_world_base).as_quat()
    place = simulation.scene.data.qpos[part.base_qpos : part.base_qpos + 7]
    place[2] = -min(float(R_world_base[2] @ corner) for corner in corners)
    place[3:] = w, x, y, z
    simulation.scene.refresh()


def _difference(old: str, new: str) -> str:
    lines: list[Any] = []
    for line in difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "adapted", n=1, lineterm=""):
        kind = {"+": "new", "-": "old"}.get(line[:1], "")
        lines.append(f"<span class='{kind}'>{html.escape(line)}</span>")
    return "<pre>" + "\n".join(lines) + "</pre>"
