"""Bags: MCAP files that rosbag2 and Foxglove read, written and read without ROS."""

from __future__ import annotations

import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

from rosbags.interfaces import Connection
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, ReaderError, StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import decompress, zstd  # type: ignore[attr-defined]  # the one of this Python
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_typestore

from humanoid_description import RobotError

TYPES = get_typestore(Stores.ROS2_JAZZY)
MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0F
DAMAGED = (ReaderError, zstd.ZstdError, struct.error, ValueError, KeyError, TypeError, AssertionError, RuntimeError)
"""What a reader says of bytes that are none of its format."""
FLUSH_SECONDS = 0.5
"""How much of a recording may be lost when its process is killed, s."""


class Undecodable(RobotError):
    """Bytes that are no message of their topic."""


@dataclass(frozen=True)
class BagMessage:
    """A message as it stands in a bag."""

    topic: str
    type: str
    time_ns: int
    """When it was recorded."""
    data: bytes
    """Serialized (CDR)."""

    def decode(self) -> Any:
        """The message with its fields; Undecodable if the bytes are none of its type."""
        try:
            return TYPES.deserialize_cdr(self.data, self.type)
        except (SerdeError, struct.error, AssertionError, IndexError, KeyError, ValueError) as error:
            raise Undecodable(f"a message on {self.topic} cannot be read as {self.type}: {error!r}") from None


class BagWriter:
    """Writes a bag that loses at most half a second when its process is killed."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        try:
            # Version 9 is that of rosbag2 in Jazzy.
            self._writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
            self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
            self._writer.open()
            storage: Any = self._writer.storage  # with a checksum, which shows when a chunk is damaged later
            storage.compressor = lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
        except (WriterError, OSError) as error:
            raise RobotError(f"bag {folder}: {error} Give a folder that does not exist yet.") from None
        self._connections: dict[str, Connection] = {}
        self._flushed = clock()
        self.counts: dict[str, int] = {}

    def write(self, topic: str, type_name: str, time_ns: int, data: bytes) -> None:
        """Add a serialized message."""
        if topic not in self._connections:
            self._connections[topic] = self._writer.add_connection(topic, type_name, typestore=TYPES)
            self.counts[topic] = 0
        self._writer.write(self._connections[topic], time_ns, data)
        self.counts[topic] += 1
        if self._clock() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Hand what was written to the operating system, as a chunk that can be read by itself."""
        storage: Any = self._writer.storage
        if storage.chunk.bio.tell():
            storage.close_chunk()
        storage.bio.flush()
        self._flushed = self._clock()

    def close(self) -> None:
        """Write index and metadata."""
        self._writer.close()

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def encode(message: Any) -> bytes:
    """A message of TYPES serialized."""
    return bytes(TYPES.serialize_cdr(message, message.__msgtype__))


def mcap_file(path: Path) -> Path:
    """The MCAP file of a bag, which is its folder or the file itself."""
    if path.is_file():
        return path
    files = sorted(path.glob("*.mcap")) if path.is_dir() else []
    if len(files) != 1:
        problem = "does not exist" if not path.exists() else f"holds {len(files)} MCAP files"
        raise RobotError(f"bag {path}: {problem}. Give the folder of one bag, or its .mcap file.")
    return files[0]


def _refuse_what_is_not_whole(path: Path, file: Path) -> None:
    """Raise RobotError if a file is no recording, or one that was not closed properly."""
    with file.open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise RobotError(
                f"bag {path}: {file.name} is not an MCAP file. Give the folder of a bag, or its .mcap file."
            )
        stream.seek(-len(MAGIC), 2)
        if stream.tell() == 0 or stream.read() != MAGIC:
            raise RobotError(f"bag {path}: is cut short. {_repair_it(path)}")


def _repair_it(path: Path) -> str:
    return f"Run './humanoid bag repair {path} NEW_FOLDER', which keeps what is whole."


def repair(file: Path, repaired: Path) -> int:
    """Copy what is whole of a recording that was cut short or damaged; returns how many chunks are not."""
    data = file.read_bytes()
    if not data.startswith(MAGIC):
        raise RobotError(f"bag {file}: is not an MCAP file.")
    header, described, kept, damaged, end = b"", b"", [], 0, len(MAGIC)
    while end + 9 <= len(data):
        code, length = struct.unpack_from("<BQ", data, end)
        record = data[end : end + 9 + length]
        end += 9 + length
        if end > len(data) or code == FOOTER:
            break
        if code == HEADER:
            header += record
        elif code in (SCHEMA, CHANNEL):  # also from the summary: those in the chunks may be lost
            described += record
        elif code == CHUNK and not _is_whole(record[9:]):
            damaged += 1
        elif code in (MESSAGE, CHUNK):
            kept.append(record)
    # Without index and summary, a reader scans the file.
    tail = bytes([DATA_END]) + struct.pack("<QI", 4, 0) + bytes([FOOTER]) + struct.pack("<QQQI", 20, 0, 0, 0) + MAGIC
    repaired.write_bytes(MAGIC + header + described + b"".join(kept) + tail)
    return damaged


def _is_whole(chunk: bytes) -> bool:
    """Whether a chunk can be unpacked, and its checksum is right."""
    try:
        _, _, size, checksum, name_length = struct.unpack_from("<QQQII", chunk)
        compression = chunk[32 : 32 + name_length].decode()
        return bool(len(decompress(chunk[40 + name_length :], compression, size, checksum)) == size)
    except DAMAGED:
        return False


def read_bag(path: Path) -> Iterator[BagMessage]:
    """Messages of a bag in the order of their times; RobotError if it cannot be read."""
    file = mcap_file(path)
    try:
        _refuse_what_is_not_whole(path, file)
        with Reader(file) as reader:
            for connection, time_ns, data in reader.messages():
                yield BagMessage(connection.topic, connection.msgtype, time_ns, bytes(data))
    except OSError as error:
        raise RobotError(f"bag {path}: cannot be read: {error}") from None
    except DAMAGED as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError(f"bag {path}: is damaged ({error!r}). {_repair_it(path)}") from None


@dataclass(frozen=True)
class TopicInfo:
    """What a bag holds of a topic."""

    topic: str
    type: str
    count: int
    first_ns: int
    last_ns: int
    longest_gap_ns: int

    @property
    def rate(self) -> float:
        """Messages a second; 0 if there are fewer than two."""
        span = self.last_ns - self.first_ns
        return (self.count - 1) * 1e9 / span if span else 0.0


def bag_info(path: Path) -> list[TopicInfo]:
    """What is in a bag, by topic."""
    seen: dict[str, list[int]] = {}
    types: dict[str, str] = {}
    for message in read_bag(path):
        seen.setdefault(message.topic, []).append(message.time_ns)
        types[message.topic] = message.type
    found = []
    for topic, times in sorted(seen.items()):
        gap = max((later - earlier for earlier, later in pairwise(times)), default=0)
        found.append(TopicInfo(topic, types[topic], len(times), times[0], times[-1], gap))
    return found


def rewrite_whole(path: Path, folder: Path) -> tuple[int, int]:
    """Write what can be read of a bag into a new one; returns how many messages, and how many chunks cannot be."""
    file = mcap_file(path)
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / file.name
        damaged = repair(file, whole)
        messages = list(read_bag(whole))
    with BagWriter(folder) as writer:
        for message in messages:
            writer.write(message.topic, message.type, message.time_ns, message.data)
    return len(messages), damaged
