"""How fast can transcripts be read at all? Decodes every line into a small msgspec Struct and sums tokens.

Run: python read_lines.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec


class Usage(msgspec.Struct):
    """Tokens of a call."""

    input_tokens: int = 0
    output_tokens: int = 0


class Message(msgspec.Struct):
    """The message of a record."""

    id: str | None = None
    usage: Usage | None = None


class Record(msgspec.Struct):
    """One line."""

    type: str = ""
    timestamp: str | None = None
    message: Message | None = None


def main() -> None:
    """Read every transcript below a folder."""
    decode = msgspec.json.Decoder(Record).decode
    lines = broken = output = 0
    for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
        with path.open("rb") as stream:
            for line in stream:
                lines += 1
                try:
                    record = decode(line)
                except msgspec.MsgspecError:
                    broken += 1
                    continue
                if record.message is not None and record.message.usage is not None:
                    output += record.message.usage.output_tokens
    print(f"{lines} lines, {broken} broken, {output} output tokens on all records")


if __name__ == "__main__":
    main()
