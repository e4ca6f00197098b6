# SPDX-License-Identifier: Apache-2.0
"""The socket that Batsim calls."""

from __future__ import annotations

from .. import _optional
from .scheduler import Scheduler

__all__ = ["ADDRESS", "serve"]

ADDRESS = "tcp://*:28000"


def serve(scheduler: Scheduler, address: str = ADDRESS) -> None:
    """Answers Batsim at a ZeroMQ address until its simulation is over.

    Errors: ImportError without pyzmq; OSError for an address that cannot be bound; those of
    Scheduler.answer(): Batsim gets no answer then.
    """
    zmq = _optional.load("zmq", "batsim")
    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            raise OSError(error.errno, f"{address}: {error.strerror}") from error
        while not scheduler.is_over:
            socket.send(scheduler.answer_text(socket.recv()).encode())
