#!/usr/bin/env python3
"""Reads the value format of Blobmark, version 1: docs/value-format.md.

    from blobmark_value import decode
    value = decode(stored, dictionaries={0x0f3a9c: open("0f3a9c.zdict", "rb").read()})

zstd needs the package `zstandard`, or Python 3.14; Brotli needs `brotli`. All other codecs are here. As a program, it checks
a file of golden frames: blobmark_value.py FILE
"""

import hashlib
import sys
import zlib

MAGIC = b"\xbe\xc1"
MASK = (1 << 64) - 1
RAW, ZSTD, LZ4, DEFLATE, BROTLI, SNAPPY = range(6)


class FrameError(ValueError):
    """A stored value that cannot be read."""


def check(head, body):
    first = int.from_bytes(body[:8], "little")
    last = int.from_bytes(body[-8:], "little")
    h = (first ^ head) * 0x9E3779B97F4A7C15 & MASK
    h = (h ^ h >> 32 ^ last) * 0xC2B2AE3D27D4EB4F & MASK
    h = (h ^ h >> 29 ^ len(body)) * 0x165667B19E3779F9 & MASK
    return h >> 48


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def lz4_block(data, length):
    out = bytearray()
    at = 0

    def more(count):
        nonlocal at
        while True:
            byte = data[at]
            at += 1
            count += byte
            if byte != 255:
                return count

    while True:
        token = data[at]
        at += 1
        literals = token >> 4
        if literals == 15:
            literals = more(literals)
        if at + literals > len(data):
            raise FrameError("the LZ4 block is truncated")
        out += data[at:at + literals]
        at += literals
        if at == len(data):
            return bytes(out)
        offset = data[at] | data[at + 1] << 8
        at += 2
        count = token & 15
        if count == 15:
            count = more(count)
        if not 0 < offset <= len(out) or len(out) + count + 4 > length:
            raise FrameError("the LZ4 block is damaged")
        for _ in range(count + 4):
            out.append(out[-offset])


def snappy(data, length):
    size = shift = at = 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if size != length:
        raise FrameError("the length is not that of the frame")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            count = tag >> 2
            if count >= 60:
                extra = count - 59
                count = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + count + 1]
            at += count + 1
            continue
        if tag & 3 == 1:
            count, offset, extra = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], 1
        else:
            extra = 2 if tag & 3 == 2 else 4
            count, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + extra], "little")
        at += extra
        if not 0 < offset <= len(out) or len(out) + count > length:
            raise FrameError("the value is damaged")
        for _ in range(count):
            out.append(out[-offset])
    return bytes(out)


def zstd(data, dictionary):
    frame = b"\x28\xb5\x2f\xfd" + data
    try:
        import zstandard
    except ImportError:
        from compression import zstd as standard
        return standard.decompress(frame, zstd_dict=standard.ZstdDict(dictionary) if dictionary else None)
    with_dictionary = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    return zstandard.ZstdDecompressor(dict_data=with_dictionary).decompress(frame)


def deflate(data, length):
    stream = zlib.decompressobj(-15)
    value = stream.decompress(data, length + 1)
    if not stream.eof or stream.unused_data:
        raise FrameError("the value is damaged")
    return value


def brotli(data):
    import brotli as library
    return library.decompress(data)


def decode(stored, dictionaries=None, legacy=lambda value: value):
    """The value: of a frame, or what `legacy` makes of a value without one."""
    if stored is None or stored[:2] != MAGIC:
        return stored if stored is None else legacy(stored)
    if len(stored) < 4:
        raise FrameError("it begins like a frame, and is none")
    code = stored[2]
    version, codec, has_dictionary, has_checksum = code >> 6, code >> 2 & 15, bool(code & 2), bool(code & 1)
    if version != 1:
        raise FrameError(f"version {version} of the value format; this reads version 1")
    if codec > SNAPPY:
        raise FrameError(f"codec number {codec} is not known")
    if has_dictionary and codec != ZSTD or has_checksum and codec == RAW:
        raise FrameError("it begins like a frame, and is none: its flags contradict its codec")
    field_bytes = 3 if codec == RAW or has_dictionary else 0 if codec == ZSTD else 1 + (stored[3] >> 6)
    check_at = 3 + field_bytes
    body_at = check_at + (1 if field_bytes == 4 else 2)
    body = stored[body_at:]
    encoded = body[:-4] if has_checksum else body
    if not encoded:
        raise FrameError("it begins like a frame, and is none: it is too short")
    expected = check(int.from_bytes(stored[2:check_at], "big"), body)
    if stored[check_at:body_at] != expected.to_bytes(2, "big")[:body_at - check_at]:
        raise FrameError("it begins like a frame, and is none: its check does not match")
    field = int.from_bytes(stored[3:check_at], "big")
    if codec == RAW:
        if encoded[:2] != MAGIC or len(encoded) & 0xFFFFFF != field:
            raise FrameError("it begins like a frame, and is none")
        return legacy(encoded)
    if codec == ZSTD:
        dictionary = None
        if has_dictionary:
            dictionary = (dictionaries or {}).get(field)
            if dictionary is None or int.from_bytes(hashlib.sha256(dictionary).digest()[:3], "big") != field:
                raise FrameError(f"dictionary {field:06x} was not found")
        value = zstd(encoded, dictionary)
    else:
        length = field & (1 << 8 * field_bytes - 2) - 1
        value = brotli(encoded) if codec == BROTLI else {LZ4: lz4_block, DEFLATE: deflate, SNAPPY: snappy}[codec](encoded, length)
        if len(value) != length:
            raise FrameError(f"the value is damaged: it says {length} bytes and holds {len(value)}")
    if has_checksum and crc32c(value).to_bytes(4, "big") != body[-4:]:
        raise FrameError("the value is damaged: its checksum does not match")
    return value


def main():
    dictionaries, read = {}, 0
    for line in open(sys.argv[1]):
        name, *words = line.split()
        first, second = (bytes() if word == "-" else bytes.fromhex(word) for word in words)
        if name == "dictionary":
            dictionaries[int.from_bytes(first, "big")] = second
        elif decode(second, dictionaries) != first:
            sys.exit(f"{name}: other bytes")
        else:
            read += 1
    print(f"{read} frames read")


if __name__ == "__main__":
    main()
