"""How does a profile become a Parquet table? Stack as a list of frames, one column a measure."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO

from tracelode.model.profile import Profile
from tracelode.model.words import encodable
from tracelode.store.engine import connect
from tracelode.store.shards import write_parquet


class ParquetExporter:
    """Writes a profile as Parquet."""

    name = "parquet"
    suffixes: tuple[str, ...] = (".parquet",)
    binary = True

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write the stacks and their totals.

        Args:
            profile: what to write.
            stream: an open binary stream.
        """
        database = connect()
        columns = ", ".join(f'"{measure}" BIGINT' for measure in profile.measures)
        database.execute(f"CREATE TABLE stacks (stack VARCHAR[], {columns})")
        appender = database.appender("stacks")
        appender.append_rows(
            [
                ([encodable(frame) for frame in stack], *profile.told(stack))
                for stack in sorted(profile.totals)
            ]
        )
        appender.flush()
        del appender
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "stacks.parquet"
            write_parquet(database, "SELECT * FROM stacks", target)
            stream.write(target.read_bytes())
