"""The connection to Ray: join a cluster or start one, make actors of workers, and tell in a sentence what fails."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from importlib.util import find_spec
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from ingestion.errors import ClusterError, ConfigurationError
from ingestion.extras import install_command
from ingestion.sync.distributed.pool import RemoteCall
from ingestion.sync.distributed.worker import LessonWorker

if TYPE_CHECKING:
    from ingestion.sync.distributed.layout import WorkerLayout

JOIN_SECONDS = 40.0
"""A client server (`ray://`) starts a process for each client, which has taken 20 seconds on a busy machine."""

START_SECONDS = 90.0
"""Starting a cluster on this machine takes 5 to 10 seconds."""

CLOSE_SECONDS = 10.0
ADDRESS_VARIABLE = "RAY_ADDRESS"


class RayConnection:
    """A connection that lives on a thread of its own, from `open` to `close`.

    Processes that Ray starts end with the thread that started them, and a cluster that does not answer would hold
    the main thread, Ctrl-C included, for minutes. A connection that the caller's program has is used and left open.
    """

    def __init__(self, address: str | None) -> None:
        """Raise ConfigurationError without the extra `ray`; connects to nothing yet."""
        if find_spec("ray") is None:
            raise ConfigurationError(f"--ray needs an extra: {install_command('ray')}")
        self._address = address
        self._opened = Event()
        self._closing = Event()
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._hold, name="ray", daemon=True)

    def open(self) -> None:
        """Connect; raises ClusterError where that fails or takes too long."""
        is_joining = (self._address or os.environ.get(ADDRESS_VARIABLE) or "local") != "local"
        self._thread.start()
        if not self._opened.wait(JOIN_SECONDS if is_joining else START_SECONDS):
            raise ClusterError(
                f"no Ray cluster responds at {self._place()}; check the address and that `ray status` works there"
                if is_joining
                else "Ray did not start on this machine in time; start a cluster with `ray start --head`"
            )
        if self._failure:
            raise ClusterError(f"cannot use Ray ({self._place()}): {_sentence(self._failure)}")

    def close(self) -> None:
        """Disconnect, which ends the actors, and a cluster that was started for the run."""
        self._closing.set()
        if self._opened.is_set():
            self._thread.join(CLOSE_SECONDS)

    def resources(self) -> Mapping[str, float]:
        """Return what the cluster has in all, such as `CPU`."""
        import ray

        found: Mapping[str, float] = ray.cluster_resources()
        return found

    def start_worker(self, layout: WorkerLayout) -> RemoteCall:
        """Ask the cluster for one more worker, and return how its methods are called."""
        import ray

        actor = ray.remote(LessonWorker).options(
            num_cpus=layout.cpus,
            num_gpus=layout.gpus,
            max_concurrency=layout.concurrent,
            max_restarts=-1,
            max_task_retries=0,
        )
        return partial(_call, actor.remote(logging.getLogger("ingestion").getEffectiveLevel()))

    def share(self, value: Any) -> Any:
        """Put a value into the cluster's store, and return what stands for it in calls."""
        import ray

        return ray.put(value)

    def is_loss(self, error: BaseException) -> bool:
        """Return whether an error of a call means that its worker, or its machine, has died."""
        from ray.exceptions import RayError, RayTaskError

        return isinstance(error, (RayError, ConnectionError)) and not isinstance(error, RayTaskError)

    def _place(self) -> str:
        return self._address or os.environ.get(ADDRESS_VARIABLE) or "this machine"

    def _hold(self) -> None:
        import ray

        is_own = not ray.is_initialized()
        try:
            if is_own:
                _connect(self._address)
        except BaseException as error:
            self._failure = error
            self._opened.set()
            return
        self._opened.set()
        self._closing.wait()
        if is_own:
            ray.shutdown()


def _connect(address: str | None) -> None:
    import ray

    # A cluster started here reports nothing to Ray's makers, as nothing of bookwise does.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray").setLevel(logging.ERROR)
    # Without it Ray puts this process's folder, the book's, first on the path of every worker. No public option does.
    job = ray.job_config.JobConfig(_client_job=True)
    ray.init(
        address=address, job_config=job, log_to_driver=False, configure_logging=False, logging_level=logging.ERROR
    )


def _call(actor: Any, method: str, *args: Any) -> Future[Any]:
    future: Future[Any] = getattr(actor, method).remote(*args).future()
    return future


def _sentence(error: BaseException) -> str:
    """Return the first sentence of what Ray says."""
    return " ".join(str(error).split()).partition(". ")[0][:300] or type(error).__name__
