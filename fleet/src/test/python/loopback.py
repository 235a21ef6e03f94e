"""Writes what an address of loopback sends and receives to files, until standard input ends: loopback.py DIRECTORY ADDRESS. Only root
may.

Each direction of each connection gets a file of its own, named FROM-TO by its ports. Prints "ready" first, then at the end the number
of packets that were seen, and of those that were lost.
"""

import ctypes
import pathlib
import select
import socket
import struct
import sys

directory = pathlib.Path(sys.argv[1])
ETH_P_ALL = 3
PACKET_OUTGOING = 4  # each packet comes twice
SOL_PACKET = 263
PACKET_STATISTICS = 6
SO_RCVBUFFORCE = 33
SO_ATTACH_FILTER = 26

sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
sniffer.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 512 << 20)
sniffer.bind(("lo", 0))


def only(address):
    """A program of the kernel (BPF) that takes packets of IPv4 from and to an address."""
    (word,) = struct.unpack("!I", socket.inet_aton(address))
    program = [
        (0x28, 0, 0, 12),  # half a word: the protocol
        (0x15, 0, 4, 0x0800),
        (0x20, 0, 0, 26),  # the source
        (0x15, 3, 0, word),
        (0x20, 0, 0, 30),  # the target
        (0x15, 1, 0, word),
        (0x06, 0, 0, 0),
        (0x06, 0, 0, 0x40000),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    return code, struct.pack("HL", len(program), ctypes.addressof(code))


code, filter = only(sys.argv[2])
sniffer.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter)
sniffer.setblocking(False)
print("ready", flush=True)

streams = {}
seen = 0


def payload(frame):
    """The ports and the bytes of a segment of TCP; None for others."""
    begin = 14 + (frame[14] & 15) * 4
    if frame[23] != 6:
        return None
    end = 14 + struct.unpack_from("!H", frame, 16)[0]
    source, target = struct.unpack_from("!HH", frame, begin)
    # the length is 0 in a packet that was not divided yet
    return source, target, frame[begin + (frame[begin + 12] >> 4) * 4 : end if end > 14 else len(frame)]


def read():
    global seen
    try:
        while True:
            frame, address = sniffer.recvfrom(1 << 18)
            if address[2] != PACKET_OUTGOING:
                continue
            seen += 1
            found = payload(frame)
            if found is None or not found[2]:
                continue
            name = f"{found[0]}-{found[1]}"
            if name not in streams:
                streams[name] = open(directory / name, "ab")
            streams[name].write(found[2])
    except BlockingIOError:
        pass


while True:
    ready, _, _ = select.select([sniffer, sys.stdin], [], [])
    if sniffer in ready:
        read()
    if sys.stdin in ready:
        break
read()
for stream in streams.values():
    stream.close()
dropped = struct.unpack("II", sniffer.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]
print(seen, dropped, flush=True)
