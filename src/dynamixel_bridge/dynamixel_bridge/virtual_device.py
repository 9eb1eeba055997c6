"""A device on the virtual bus: its control table in memory, with the rules by which it may be read and written."""

from __future__ import annotations

from collections.abc import Mapping

from dynamixel_bridge.control_table import EEPROM, READ_ONLY, SIGN_BIT, Model
from dynamixel_bridge.packet import ALERT, BROADCAST, Block, Instruction, Packet

# Error bits of Protocol 1.0, and error numbers of Protocol 2.0 (ROBOTIS e-manual, status packet).
ANGLE_LIMIT_BIT, RANGE_BIT, INSTRUCTION_BIT = 0x02, 0x08, 0x40
INSTRUCTION_NUMBER, RANGE_NUMBER, LENGTH_NUMBER, LIMIT_NUMBER, ACCESS_NUMBER = 0x02, 0x04, 0x05, 0x06, 0x07
PING_ONLY, PING_AND_READ = 0, 1
"""Levels of the row status_return_level."""


class VirtualDevice:
    """Control table and rules of any device; virtual_servo.py gives it a life."""

    def __init__(self, model: Model, id_: int, eeprom: Mapping[str, int] | None = None) -> None:
        """Make a device as it leaves the factory.

        Args:
            model: Its kind.
            id_: Its id on the bus.
            eeprom: Counts that differ from the factory's, as `eeprom` gives them.
        """
        self.model = model
        self._memory = bytearray(model.size)
        self._registered: tuple[int, bytes] | None = None
        self._row_at = {row.address + i: row for row in model.rows.values() for i in range(row.size)}
        self.id = id_
        """As its row says."""
        self.baud = 0
        """Rate at which it listens, bit/s; 0 if its row holds nonsense."""
        self.alarms = 0
        """Bits of model.errors that are on now."""
        self.dead = False
        """Whether it neither hears nor speaks; what it holds, it goes on holding."""
        self.boot(keep_eeprom=False)
        self.put("id", id_)
        for name, count in (eeprom or {}).items():
            self.put(name, count)

    @property
    def eeprom(self) -> dict[str, int]:
        """Counts that last without power."""
        return {name: self.get(name) for name, row in self.model.rows.items() if row.area == EEPROM}

    def boot(self, keep_eeprom: bool = True) -> None:
        """Start as after power-on."""
        for name, row in self.model.rows.items():
            if row.area != EEPROM or not keep_eeprom:
                self.put(name, row.initial)
        self._registered = None
        self.alarms = 0

    def get(self, name: str) -> int:
        """Count of a row."""
        row = self.model.rows[name]
        return row.count(bytes(self._memory[row.address : row.address + row.size]))

    def put(self, name: str, count: int) -> None:
        """Set a row, whatever the rules say."""
        row = self.model.rows[name]
        self._memory[row.address : row.address + row.size] = row.bytes_of(count)
        if name == "id":
            self.id = count
        elif name == "baud_rate":
            self.baud = self.model.bauds.get(count, 0)

    def value(self, name: str) -> float:
        """Value of a row, SI units."""
        row = self.model.rows[name]
        return (self.get(name) - row.zero) * row.scale

    def measure(self, name: str, value: float) -> None:
        """Set a row to the count nearest to a value (SI units), as a sensor does."""
        row = self.model.rows[name]
        most = {"sign_bit_10": SIGN_BIT - 1, "signed": 256**row.size // 2 - 1, "unsigned": row.high}[row.sign]
        least = 0 if row.sign == "unsigned" else -most
        self.put(name, min(max(round(value / row.scale) + row.zero, least), most))

    def read(self, block: Block) -> tuple[int, bytes]:
        """Error of an answer, and the bytes read."""
        if block.size == 0 or block.address + block.size > self.model.size:
            return self._error(RANGE_BIT, ACCESS_NUMBER), b""
        return self._error(0, 0), bytes(self._memory[block.address : block.address + block.size])

    def write(self, address: int, data: bytes) -> int:
        """Write whole rows if every one of them may be; returns the error of the answer."""
        counts, at = [], address
        while at < address + len(data):
            row = self._row_at.get(at)
            if row is None or row.area == READ_ONLY:
                return self._error(RANGE_BIT, ACCESS_NUMBER)
            if row.address != at or at + row.size > address + len(data):
                return self._error(RANGE_BIT, LENGTH_NUMBER)
            if row.area == EEPROM and self._eeprom_is_shut():
                return self._error(RANGE_BIT, ACCESS_NUMBER)
            count = row.count(data[at - address : at - address + row.size])
            if not row.low <= count <= row.high:
                return self._error(RANGE_BIT, RANGE_NUMBER)
            if row.name == "goal_position" and not self.get("lower_limit") <= count <= self.get("upper_limit"):
                return self._error(ANGLE_LIMIT_BIT, LIMIT_NUMBER)
            counts.append((row.name, count))
            at += row.size
        for name, count in counts:
            self.put(name, count)
        self.wrote({name for name, _ in counts})
        return self._error(0, 0)

    def wrote(self, names: set[str]) -> None:
        """React to rows that were written."""

    def refresh(self) -> None:
        """Bring what is measured up to date, before it is read."""

    def execute(self, packet: Packet) -> tuple[int, bytes] | None:
        """Carry out an instruction to this device alone; returns error and parameters of the answer, if it answers."""
        level = self.get("status_return_level")
        code, parameters = packet.code, packet.parameters
        width = 1 if self.model.protocol == 1 else 2
        address = int.from_bytes(parameters[:width], "little")
        if code == Instruction.PING:
            number = self.get("model_number").to_bytes(2, "little")
            told = b"" if self.model.protocol == 1 else number + bytes((self.get("firmware_version"),))
            return self._error(0, 0), told
        if code == Instruction.READ and len(parameters) == 2 * width:
            self.refresh()
            answer = self.read(Block(address, int.from_bytes(parameters[width:], "little")))
            return answer if level >= PING_AND_READ and packet.id != BROADCAST else None
        if code == Instruction.WRITE and len(parameters) > width:
            error = self.write(address, parameters[width:])
        elif code == Instruction.REG_WRITE and len(parameters) > width:
            self._registered = (address, parameters[width:])
            self.put("registered", 1)
            error = self._error(0, 0)
        elif code == Instruction.ACTION and self._registered is not None:
            error = self.write(*self._registered)
            self._registered = None
            self.put("registered", 0)
        elif code == Instruction.REBOOT:
            self.boot()
            error = self._error(0, 0)
        elif code == Instruction.FACTORY_RESET and packet.id != BROADCAST:
            self.boot(keep_eeprom=False)
            error = self._error(0, 0)
        else:
            error = self._error(INSTRUCTION_BIT, INSTRUCTION_NUMBER)
        return (error, b"") if level > PING_AND_READ and packet.id != BROADCAST else None

    def _eeprom_is_shut(self) -> bool:
        shut = "torque_enable" in self.model.rows and self.get("torque_enable") == 1
        return shut or ("lock" in self.model.rows and self.get("lock") == 1)

    def _error(self, bit: int, number: int) -> int:
        """Error byte of an answer: of alarms, and of the instruction."""
        if self.model.protocol == 1:
            return bit | self.alarms
        return number | (ALERT if self.alarms else 0)
