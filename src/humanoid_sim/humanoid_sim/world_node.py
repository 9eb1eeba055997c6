"""What is around the robots, for those who draw it: what stays is told once and latched, the ball again and again."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PoseStamped
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_sim.field import LINE_WIDTH, lines
from humanoid_sim.scene import BALL_RADIUS, Scene, World

WHITE = ColorRGBA(r=0.95, g=0.95, b=0.95, a=1.0)


class WorldPublisher:
    """Serves `/world` and, where there is one, `/ball`."""

    def __init__(self, node: Node, scene: Scene) -> None:
        self._scene = scene
        self._world = node.create_publisher(MarkerArray, "/world", LATCHED)
        self._world.publish(MarkerArray(markers=markers(scene.world)))
        self._ball = node.create_publisher(PoseStamped, "/ball", STREAM) if scene.world.ball else None

    def publish_ball(self, stamp: Time) -> None:
        """Where the ball is now, if there is one."""
        if self._ball is None:
            return
        message = PoseStamped()
        message.header.stamp, message.header.frame_id = stamp, "world"
        body = self._scene.data.body("ball")
        place, turned = message.pose.position, message.pose.orientation
        place.x, place.y, place.z = map(float, body.xpos)
        turned.w, turned.x, turned.y, turned.z = map(float, body.xquat)
        self._ball.publish(message)


def markers(world: World) -> list[Marker]:
    """Boxes, the field's lines, and what the ball looks like, which rides on `/ball`."""
    found = []
    for name, (position, size) in world.boxes.items():
        box = _marker(name, Marker.CUBE)
        box.pose.position.x, box.pose.position.y, box.pose.position.z = position
        box.scale.x, box.scale.y, box.scale.z = size
        found.append(box)
    if world.field:
        painted = _marker("lines", Marker.LINE_LIST)
        painted.scale.x = LINE_WIDTH
        painted.points = [Point(x=x, y=y, z=0.0) for piece in lines() for x, y in piece]
        found.append(painted)
    if world.ball:
        ball = _marker("ball", Marker.SPHERE)
        ball.scale.x = ball.scale.y = ball.scale.z = 2 * BALL_RADIUS
        ball.pose.position.z = BALL_RADIUS
        found.append(ball)
    return found


def _marker(name: str, kind: int) -> Marker:
    marker = Marker(ns=name, type=kind, action=Marker.ADD, color=WHITE)
    marker.header.frame_id = "world"
    marker.pose.orientation.w = 1.0
    return marker
