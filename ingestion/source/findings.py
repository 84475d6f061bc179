"""What is odd about a lesson but does not stop it: for the run's report and for `bookwise check`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One oddity. `line` counts from 1 in the file, None where no line is to blame."""

    path: str
    line: int | None
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}{f':{self.line}' if self.line else ''}: {self.message} [{self.rule}]"
