"""The operating system's lock on a file: held by one process, dropped with it in whatever way it ends."""

import os
import sys

if sys.platform == "win32":

    def try_lock(file: int) -> bool:
        """Take the lock of an open file descriptor; False where another process has it."""
        import msvcrt

        # A byte far behind the text, so that the holder's name in the file stays readable to others.
        os.lseek(file, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:

    def try_lock(file: int) -> bool:
        """Take the lock of an open file descriptor; False where another process has it."""
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
