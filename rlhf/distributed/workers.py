"""Rendezvous of learners in different processes, only at the address that Ray uses on the machine."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import struct
import sys
from datetime import timedelta

import torch.distributed as dist
from ray.util import get_node_ip_address
from torch._C._distributed_c10d import TCPStore

from agents.learning.workers import SINGLE_WORKER, TorchWorkers, Workers

Meeting = tuple[str, int]  # address and port
_SIOCGIFADDR = 0x8915  # Linux's request for an interface's address


def host() -> tuple[TCPStore, Meeting]:
    """Open the store through which learners find each other; it lasts as long as the returned object.

    PyTorch by itself would listen on every address of the machine, where any client could join.
    """
    address = get_node_ip_address()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listening:
        listening.bind((address, 0))
        listening.listen()
        port = listening.getsockname()[1]
        store = TCPStore(
            address, port, is_master=True, wait_for_workers=False, master_listen_fd=os.dup(listening.fileno())
        )
    return store, (address, port)


def join(rank: int, count: int, meeting: Meeting, backend: str, timeout_sec: float) -> Workers:
    """Join as the learner ``rank`` of ``count``; return when all have joined.

    Args:
      backend: PyTorch's name of the message passing library.
      timeout_sec: seconds that one learner waits for the others.
    """
    if count == 1:
        return SINGLE_WORKER
    interface = interface_of(get_node_ip_address())
    if interface is not None:
        for library in ("GLOO", "NCCL"):
            os.environ.setdefault(f"{library}_SOCKET_IFNAME", interface)
    patience = timedelta(seconds=timeout_sec)
    store = TCPStore(*meeting, is_master=False, timeout=patience)
    dist.init_process_group(backend, store=store, rank=rank, world_size=count, timeout=patience)
    return TorchWorkers()


def interface_of(address: str) -> str | None:
    """Return the name of the network interface that has ``address``, None where the system does not report it.

    Gloo would look up the machine's own name, which on many machines is 127.0.1.1 and unreachable from others.
    """
    if sys.platform != "linux":
        return "lo0" if ipaddress.ip_address(address).is_loopback else None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, struct.pack("256s", name.encode()))
            except OSError:  # it has no address
                continue
            if socket.inet_ntoa(answer[20:24]) == address:
                return name
    return None
