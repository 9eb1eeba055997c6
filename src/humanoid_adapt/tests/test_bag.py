"""Bags."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from humanoid_adapt.bag import TYPES, BagWriter, bag_info, encode, read_bag, rewrite_whole
from humanoid_description import RobotError


def text(content: str) -> bytes:
    return encode(TYPES.types["std_msgs/msg/String"](data=content))


def write(folder: Path, count: int) -> None:
    with BagWriter(folder) as writer:
        for index in range(count):
            writer.write("/a/text", "std_msgs/msg/String", 10**9 + index * 10**8, text(f"{index}"))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "bag", 20)
    messages = list(read_bag(tmp_path / "bag"))
    assert [message.decode().data for message in messages] == [str(index) for index in range(20)]
    assert messages[3].time_ns == 10**9 + 3 * 10**8
    info = bag_info(tmp_path / "bag")[0]
    assert (info.topic, info.count, info.rate, info.longest_gap_ns) == ("/a/text", 20, pytest.approx(10.0), 10**8)


def test_its_metadata_is_that_of_rosbag2(tmp_path: Path) -> None:
    write(tmp_path / "bag", 3)
    content = yaml.safe_load((tmp_path / "bag" / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    assert content["version"] == 9
    assert content["storage_identifier"] == "mcap"
    assert content["message_count"] == 3
    assert content["topics_with_message_count"][0]["topic_metadata"]["type_description_hash"].startswith("RIHS01_")


def test_a_killed_recorder_loses_what_was_not_flushed_and_no_more(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from humanoid_adapt.bag import *\n"
        "clock = iter(range(10**6))\n"
        f"writer = BagWriter(Path({str(tmp_path / 'bag')!r}), clock=lambda: 0.1 * next(clock))\n"
        "data = encode(TYPES.types['std_msgs/msg/String'](data='x'))\n"
        "for index in range(203):\n"
        "    writer.write('/a/text', 'std_msgs/msg/String', 10**9 + index, data)\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with pytest.raises(RobotError, match=r"is cut short.*bag repair"):
        list(read_bag(tmp_path / "bag"))
    saved, _ = rewrite_whole(tmp_path / "bag", tmp_path / "whole")
    assert 190 <= saved <= 203
    assert len(list(read_bag(tmp_path / "whole"))) == saved


def test_a_bag_in_the_middle_of_a_record_keeps_what_is_before(tmp_path: Path) -> None:
    write(tmp_path / "bag", 50)
    file = next((tmp_path / "bag").glob("*.mcap"))
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(RobotError, match="cut short"):
        list(read_bag(file))
    assert rewrite_whole(file, tmp_path / "whole") == (50, 0)


@pytest.mark.parametrize("chunk", [0, 3])
def test_a_damaged_chunk_is_seen_and_left_out(tmp_path: Path, chunk: int) -> None:
    """Five chunks of ten messages; the first also holds what the topic is."""
    with BagWriter(tmp_path / "bag") as writer:
        for index in range(50):
            writer.write("/a/text", "std_msgs/msg/String", 10**9 + index, text(f"{index}"))
            if index % 10 == 9:
                writer.flush()
    file = next((tmp_path / "bag").glob("*.mcap"))
    data = bytearray(file.read_bytes())
    frames = [found.start() for found in re.finditer(rb"zstd.{8}\x28\xb5\x2f\xfd", data, re.DOTALL)]
    for place in range(frames[chunk] + 20, frames[chunk] + 90):
        damaged = data.copy()
        damaged[place] ^= 0x10
        file.write_bytes(damaged)
        with pytest.raises(RobotError, match=r"is damaged .*bag repair"):
            list(read_bag(file))
    assert rewrite_whole(file, tmp_path / "whole") == (40, 1)
    kept = [int(message.decode().data) for message in read_bag(tmp_path / "whole")]
    assert kept == [index for index in range(50) if index // 10 != chunk]


def test_what_is_no_bag_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="does not exist"):
        list(read_bag(tmp_path / "nothing"))
    for content in (b"hello", b""):
        (tmp_path / "bad.mcap").write_bytes(content)
        with pytest.raises(RobotError, match="not an MCAP file"):
            list(read_bag(tmp_path / "bad.mcap"))
        with pytest.raises(RobotError, match="not an MCAP file"):
            rewrite_whole(tmp_path / "bad.mcap", tmp_path / "new")
        assert not (tmp_path / "new").exists()
    write(tmp_path / "bag", 1)
    with pytest.raises(RobotError, match="does not exist yet"):
        BagWriter(tmp_path / "bag")
