#!/usr/bin/env python3
"""Reads the value format of Blobmark, version 1: docs/value-format.md.

    from blobmark_value import FrameError, decode
    value = decode(stored, dictionaries={0x0f3a9c: open("0f3a9c.zdict", "rb").read()})

zstd needs the package `zstandard`, or `backports.zstd`, or Python 3.14. Brotli needs `brotli`; version 1.2 and later is
faster. Checksums are fast with `crc32c` or `google-crc32c`. All other codecs are here.
"""

import functools
import hashlib
import zlib

MAGIC = b"\xbe\xc1"
MASK = (1 << 64) - 1
ESCAPED, ZSTD, LZ4, DEFLATE, BROTLI, SNAPPY, STORED = range(7)
STANDARD_MAX_LENGTH = 64 << 20
MOST_LENGTH = (1 << 30) - 1
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_BLOCK = 128 << 10
PIECE = 4 << 10  # what zlib gets at a time where it may leave some of it, of which it makes a copy
# the most bytes of a value that a byte of an encoded value stands for
DEFLATE_RATIO, LZ4_RATIO, ZSTD_RATIO = 1032, 255, ZSTD_BLOCK // 4


class FrameError(ValueError):
    """A stored value that cannot be read. `reason` is one of those of FrameException in Java, such as "DAMAGED"."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


def not_a_frame(detail):
    return FrameError("NOT_A_FRAME", f"the value begins like a frame, and is none: {detail}")


def damaged(detail):
    return FrameError("DAMAGED", f"the value is damaged: {detail}")


def too_long(length, most):
    return FrameError("TOO_LONG", f"the value has {length} bytes, and at most {most} are read")


def check(head, body):
    first = int.from_bytes(body[:8], "little")
    last = int.from_bytes(body[-8:], "little")
    h = (first ^ head) * 0x9E3779B97F4A7C15 & MASK
    h = (h ^ h >> 32 ^ last) * 0xC2B2AE3D27D4EB4F & MASK
    h = (h ^ h >> 29 ^ len(body)) * 0x165667B19E3779F9 & MASK
    return h >> 48


def crc32c_table():
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        yield crc


CRC32C = tuple(crc32c_table())  # before any thread may need it


def crc32c_in_python(value):
    crc = 0xFFFFFFFF
    for byte in value:
        crc = crc >> 8 ^ CRC32C[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


try:
    from crc32c import crc32c
except ImportError:
    try:
        from google_crc32c import value as crc32c
    except ImportError:
        crc32c = crc32c_in_python


def repeat(out, offset, count):
    """Appends bytes that begin `offset` bytes before the end, which may include some of those that are appended."""
    chunk = bytes(out[len(out) - offset : len(out) - offset + count])
    out += chunk if len(chunk) == count else (chunk * (count // offset + 1))[:count]


def lz4_block(data, length):
    """As lz4_Block_format.md: a match begins at least 12 bytes before the end, and the last 5 bytes are literals."""
    out, at = bytearray(), 0

    def count(nibble):
        nonlocal at
        while nibble >= 15:
            byte = data[at]
            at += 1
            nibble += byte
            if byte != 255:
                break
        return nibble

    while at < len(data):
        token = data[at]
        at += 1
        literals = count(token >> 4)
        if literals > min(len(data) - at, length - len(out)):
            raise damaged("its LZ4 block has too many literals")
        out += data[at : at + literals]
        at += literals
        if at == len(data):
            return bytes(out)
        offset = data[at] | data[at + 1] << 8
        at += 2
        match = count(token & 15) + 4
        if not 0 < offset <= len(out) or len(out) > length - 12 or len(out) + match > length - 5:
            raise damaged("its LZ4 block has a match that is out of range")
        repeat(out, offset, match)
    raise damaged("its LZ4 block does not end with literals")


def snappy_length(data):
    size = at = 0
    while True:
        byte = data[at]
        size |= (byte & 127) << 7 * at
        at += 1
        if byte < 128 and size < 1 << 32:
            return size, at
        if at == 5:
            raise damaged("its Snappy block has no length")


def snappy(data, length):
    size, at = snappy_length(data)
    if size != length:
        raise damaged(f"it says {length} bytes, and its Snappy block {size}")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind, count = tag & 3, (tag >> 2) + 1
        extra = max(0, count - 60) if kind == 0 else (0, 1, 2, 4)[kind]
        number = int.from_bytes(data[at : at + extra], "little")
        at += extra
        if at > len(data):
            raise damaged("its Snappy block is truncated")
        if kind == 0:
            count = number + 1 if extra else count
            if count > min(len(data) - at, length - len(out)):
                raise damaged("its Snappy block has too many literals")
            out += data[at : at + count]
            at += count
            continue
        if kind == 1:
            count, number = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | number
        if not 0 < number <= len(out) or count > length - len(out):
            raise damaged("its Snappy block has a copy that is out of range")
        repeat(out, number, count)
    return bytes(out)


def inflate(data, most, bits, at=0):
    """The value of the stream that begins at `at`, of at most `most` bytes, and where the stream ends.

    zlib copies what it was given and does not use. So it gets pieces, each twice as long as the one before.
    """
    stream, view, start, out, piece = zlib.decompressobj(bits), memoryview(data), at, bytearray(), 128
    while not stream.eof:
        if at >= len(data):
            raise damaged("its deflate stream is truncated")
        out += stream.decompress(view[at : at + piece], most + 1 - len(out))
        if len(out) > most:
            if not stream.unconsumed_tail:  # damage right after the last byte goes first, wherever a piece ends
                zlib.decompressobj(bits).decompress(view[start:], most + 1)
            raise too_long(f"more than {most}", most)
        at, piece = min(at + piece, len(data)), 2 * piece
    return bytes(out), at - len(stream.unused_data)


def whole(value, data, at):
    if at < len(data):
        raise damaged(f"{len(data) - at} bytes follow the end of the encoded value")
    return value


def inflate_whole(data, most, bits):
    value, at = inflate(data, most, bits)
    return whole(value, data, at)


def brotli(data, most):
    import brotli as library

    stream, out, at = library.Decompressor(), bytearray(), 0
    is_bounded = hasattr(stream, "can_accept_more_data")
    try:
        while not stream.is_finished():
            if len(out) > most:
                raise too_long(f"more than {most}", most)
            if is_bounded:
                part = stream.process(data if at == 0 else b"", output_buffer_limit=most + 1 - len(out))
                if not part and at > 0:
                    raise damaged("its Brotli stream is truncated")
                at, out = len(data), out + part
            else:  # a byte at a time holds no more than one meta-block, 16 MiB
                if at == len(data):
                    raise damaged("its Brotli stream is truncated")
                out += stream.process(data[at : at + 1])
                at += 1
    except library.error:
        raise damaged("it is no Brotli stream") from None
    if len(out) > most:
        raise too_long(f"more than {most}", most)
    return whole(bytes(out), data, at)


def zstd_content_size(frame, with_number=False):
    """Length of the value and where the blocks begin, by the header of a frame with its magic number; None if unstated."""
    if len(frame) < 6:
        raise damaged("it is too short for a zstd frame")
    descriptor = frame[4]
    is_single = bool(descriptor & 32)
    number = (0, 1, 2, 4)[descriptor & 3]
    size_bytes = (int(is_single), 2, 4, 8)[descriptor >> 6]
    at = 5 + (not is_single) + number
    if descriptor & 8 or number and not with_number or at + size_bytes > len(frame):
        raise damaged("it has no header of a zstd frame")
    if any(frame[at - number : at]):
        raise damaged("it was encoded with a dictionary of zstd's own numbering")
    size = int.from_bytes(frame[at : at + size_bytes], "little") + (256 if size_bytes == 2 else 0)
    return size if size_bytes else None, at + size_bytes


def zstd_blocks(frame, at):
    """The number of blocks of exactly one whole frame."""
    blocks, is_last = 0, False
    while not is_last:
        header = int.from_bytes(frame[at : at + 3], "little")
        is_last, kind, size = header & 1, header >> 1 & 3, header >> 3
        if kind == 3 or size > ZSTD_BLOCK or at + 3 > len(frame):
            raise damaged("its zstd frame is truncated, or has a block that does not exist")
        at += 3 + (1 if kind == 1 else size)
        blocks += 1
    if at + (4 if frame[4] & 4 else 0) != len(frame):
        raise damaged("its zstd frame is truncated, or does not end with it")
    return blocks


@functools.lru_cache(maxsize=64)
def zstd_dictionary(dictionary, make):
    return make(dictionary)


def zstd(frame, dictionary, most):
    """The value of exactly one frame. Its length is stated, or it has at most `most` bytes."""
    size, at = zstd_content_size(frame, with_number=True)
    if not frame[4] & 32 and frame[5] >> 3 > 21:
        raise damaged("its zstd frame has a window of more than 4 GiB")
    room = zstd_blocks(frame, at) * ZSTD_BLOCK
    if size is not None:
        require_possible(size, most, ZSTD_RATIO * len(frame))
        require_possible(size, most, room)
    else:  # the decoder allocates the window, of which no more than the value is needed
        window = max(10, (room - 1).bit_length())
        if 10 + (frame[5] >> 3) > window:
            frame = frame[:5] + bytes([window - 10 << 3]) + frame[6:]
    most = most if size is None else size
    try:
        import zstandard
    except ImportError:
        return zstd_of_standard_library(frame, dictionary, most)
    try:
        with_dictionary = zstd_dictionary(dictionary, zstandard.ZstdCompressionDict) if dictionary is not None else None
        decompressor = zstandard.ZstdDecompressor(dict_data=with_dictionary, max_window_size=1 << 31)
        if size is not None:
            return decompressor.decompress(frame) if size else decompressor.stream_reader(frame).read(1)
        out, reader = bytearray(), decompressor.stream_reader(frame)
        while len(out) <= most:
            part = reader.read(min(1 << 20, most + 1 - len(out)))
            if not part:
                return bytes(out)
            out += part
        raise too_long(f"more than {most}", most)
    except zstandard.ZstdError as e:
        raise damaged(str(e)) from None


def zstd_of_standard_library(frame, dictionary, most):
    try:
        from compression import zstd as library
    except ImportError:
        from backports import zstd as library
    try:
        is_raw = dictionary is not None and dictionary[:4] != b"\x37\xa4\x30\xec"
        with_dictionary = (
            zstd_dictionary(dictionary, functools.partial(library.ZstdDict, is_raw=is_raw)) if dictionary is not None else None
        )
        options = {library.DecompressionParameter.window_log_max: 31}
        stream = library.ZstdDecompressor(zstd_dict=with_dictionary, options=options)
        value = stream.decompress(frame, max_length=most + 1)
    except library.ZstdError as e:
        raise damaged(str(e)) from None
    if len(value) > most:
        raise too_long(f"more than {most}", most)
    if not stream.eof:
        raise damaged("its zstd frame is truncated")
    return value


def require_possible(length, most, room):
    """A stated length, if a value of it is read and fits into what is stored."""
    if length > room:
        raise damaged(f"it says {length} bytes, and can hold {room}")
    if length > most:
        raise too_long(length, most)
    return length


def gzip(data, most):
    """All members of RFC 1952, whose values follow each other."""
    if len(data) < 18:
        raise damaged("it is truncated")
    require_possible(int.from_bytes(data[-4:], "little"), most, DEFLATE_RATIO * len(data))
    out, at = bytearray(), 0
    while at == 0 or data[at : at + 3] == b"\x1f\x8b\x08" and len(data) - at >= 10:
        flags = data[at + 3] if len(data) - at >= 10 else 0
        if len(data) - at < 10 or data[at : at + 3] != b"\x1f\x8b\x08" or flags & 0xE0:
            raise damaged("it is not gzip")
        header, at = at, at + 10
        if flags & 4:
            at += 2 + int.from_bytes(data[at : at + 2], "little")
        for flag in (8, 16):
            if flags & flag:
                at = data.find(0, at) + 1 or len(data) + 1
        if flags & 2:
            at += 2
            if data[at - 2 : at] != (zlib.crc32(data[header : at - 2]) & 0xFFFF).to_bytes(2, "little"):
                raise damaged("the CRC of its header does not match")
        if at > len(data):
            raise damaged("it is truncated")
        value, at = inflate(data, most - len(out), -15, at)
        if data[at : at + 8] != zlib.crc32(value).to_bytes(4, "little") + len(value).to_bytes(4, "little"):
            raise damaged("its CRC-32 or its length does not match")
        out += value
        at += 8
    return whole(bytes(out), data, at)


def stated(data, most, ratio, bits=32):
    """The length of the value in the first 4 bytes."""
    if len(data) <= 4:
        raise damaged("it is truncated")
    length = int.from_bytes(data[:4], "little") & (1 << bits) - 1
    return require_possible(length, most, ratio * (len(data) - 4))


def of_stated_length(decode_body, body, length):
    """Decodes a body whose length stands before it: if it is longer, it is damaged."""
    try:
        value = decode_body(body, length)
    except FrameError as e:
        raise damaged(str(e)) from None
    if len(value) != length:
        raise damaged(f"it says {length} bytes and holds {len(value)}")
    return value


def compress(data, most):
    """A value of COMPRESS(), which ends with a "." if the stream ends with a space."""
    length = stated(data, most, DEFLATE_RATIO, bits=30)

    def body(stream, most):
        value, at = inflate(stream, most, 15)
        return value if is_end_of_compress(stream, at) else whole(value, stream, at)

    return of_stated_length(body, data[4:], length)


def is_end_of_compress(data, at):
    return at == len(data) or at == len(data) - 1 and data.endswith(b" .")


def compressed_length(stored):
    return int.from_bytes(stored[:4], "little") & MOST_LENGTH


def begins_like_compress(stored, most):
    if len(stored) <= 6 or stored[4:6] not in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        return False
    if compressed_length(stored) <= most:
        return compressed_length(stored) > 0
    try:
        return bool(zlib.decompressobj().decompress(stored[4:], 256))
    except zlib.error:
        return False


def is_compress(stored):
    """Whether the whole of it is a value of COMPRESS(), which is not kept: it may be longer than what is read."""
    most = compressed_length(stored)
    if not begins_like_compress(stored, MOST_LENGTH):
        return False
    stream, view, at, piece, length = zlib.decompressobj(), memoryview(stored), 4, b"", 0
    try:
        while (piece or at < len(stored)) and length <= most and not stream.eof:
            if not piece:
                piece = view[at : at + PIECE]
                at += len(piece)
            length += len(stream.decompress(piece, 1 << 16))
            piece = stream.unconsumed_tail
        length += len(stream.flush(1 << 16)) if not stream.eof and length <= most else 0
    except zlib.error:
        return False
    return stream.eof and length == most and is_end_of_compress(stored, at - len(stream.unused_data))


LEGACY = {
    "gzip": gzip,
    "zlib": lambda data, most: inflate_whole(data, most, 15),
    "deflate": lambda data, most: inflate_whole(data, most, -15),
    "zstd": lambda data, most: legacy_zstd(data, most),
    "lz4": lambda data, most: of_stated_length(lz4_block, data[4:], stated(data, most, LZ4_RATIO)),
    "mysql": compress,
    "snappy": lambda data, most: legacy_snappy(data, most),
    "brotli": brotli,
}


def legacy_zstd(data, most):
    if data[:4] != ZSTD_MAGIC:
        raise damaged("it is not zstd")
    return zstd(data, None, most)


def legacy_snappy(data, most):
    length = require_possible(snappy_length(data)[0], most, 64 * len(data) // 3)
    return of_stated_length(snappy, data, length)


def safely(decode_body, *arguments):
    """What the decoder returns; whatever it does not expect is damage."""
    try:
        return decode_body(*arguments)
    except (IndexError, zlib.error) as e:
        raise damaged(str(e)) from None


def legacy_value(stored, legacy, most):
    if legacy == "none":
        raise FrameError("NOT_A_FRAME", "the value has no frame, and all values of this column have one")
    return stored if legacy == "raw" or not stored else safely(LEGACY[legacy], stored, most)


@functools.lru_cache(maxsize=64)
def dictionary_number(dictionary):
    return int.from_bytes(hashlib.sha256(dictionary).digest()[:3], "big")


def framed_value(stored, dictionaries, legacy, most):
    if len(stored) < 4:
        raise not_a_frame("it is too short")
    code = stored[2]
    version, codec, has_dictionary, has_checksum = code >> 6, code >> 2 & 15, bool(code & 2), bool(code & 1)
    if version == 0:
        raise not_a_frame("its version is 0")
    if version > 1:
        raise FrameError("NEWER_VERSION", f"version {version} of the value format; this reads version 1")
    if codec > STORED:
        raise FrameError("UNKNOWN_CODEC", f"codec number {codec} is not known")
    if has_dictionary and codec != ZSTD or codec == ESCAPED and has_checksum or codec == STORED and not has_checksum:
        raise not_a_frame("its flags contradict its codec")
    field_bytes = 3 if codec == ESCAPED or has_dictionary else 0 if codec == ZSTD else 1 + (stored[3] >> 6)
    check_at = 3 + field_bytes
    body_at = check_at + (1 if field_bytes == 4 else 2)
    body = stored[body_at:]
    encoded = body[:-4] if has_checksum else body
    if len(body) < (4 if has_checksum else 0) + (codec != STORED):
        raise not_a_frame("it is too short")
    expected = check(int.from_bytes(stored[2:check_at], "big"), body)
    if stored[check_at:body_at] != expected.to_bytes(2, "big")[: body_at - check_at]:
        raise not_a_frame("its check does not match")
    field = int.from_bytes(stored[3:check_at], "big")
    if codec == ESCAPED:
        if encoded[:2] != MAGIC or len(encoded) & 0xFFFFFF != field:
            raise not_a_frame("it is not as escaped values are")
        length = len(encoded)
    elif codec == ZSTD:
        try:
            length = zstd_content_size(ZSTD_MAGIC + encoded)[0] or 0
        except FrameError as e:
            raise not_a_frame(str(e)) from None
        if not len(stored) < length < 1 << 63:
            raise not_a_frame(f"its length is {length}")
    else:
        length = field & (1 << 8 * field_bytes - 2) - 1
        shortest = 1 + (length >= 1 << 6) + (length >= 1 << 14) + (length >= 1 << 22)
        if field_bytes != shortest or (length != len(encoded) if codec == STORED else length <= len(stored)):
            raise not_a_frame(f"its length is {length}")
    if length > min(most, MOST_LENGTH):
        raise too_long(length, most)
    if legacy == "none" and not has_checksum:
        raise not_a_frame("it has no checksum, and all values of this column have one")
    if codec == ESCAPED:
        return legacy_value(encoded, legacy, most)
    if codec == ZSTD:
        require_possible(length, length, ZSTD_RATIO * len(encoded))
        dictionary = dictionaries.get(field) if has_dictionary else None
        if has_dictionary and (dictionary is None or dictionary_number(dictionary) != field):
            raise FrameError("MISSING_DICTIONARY", f"dictionary {field:06x} was not found")
        value = safely(of_stated_length, lambda data, most: zstd(ZSTD_MAGIC + data, dictionary, most), encoded, length)
    else:
        body_decoder = {
            STORED: lambda data, most: data,
            LZ4: lz4_block,
            DEFLATE: LEGACY["deflate"],
            BROTLI: brotli,
            SNAPPY: snappy,
        }[codec]
        value = safely(of_stated_length, body_decoder, encoded, length)
    if has_checksum and crc32c(value).to_bytes(4, "big") != body[-4:]:
        raise damaged("its checksum does not match")
    return value


def decode(
    stored, dictionaries={}, legacy="raw", reads_sql=False, max_length=STANDARD_MAX_LENGTH, collisions_are_legacy=False
):
    """The value that is stored.

    stored: bytes as the database returns them; None for NULL
    dictionaries: bytes by number, in a mapping or whatever else has `get`
    legacy: what values without a frame are: "raw"; "none" if there are none, so that each has a frame with a checksum;
        or the codec that all of them were encoded by: gzip, zlib, deflate, zstd, lz4 (after its length), mysql
        (COMPRESS()), snappy or brotli
    reads_sql: whether there are values of COMPRESS() as well
    max_length: the longest value that is read, in bytes
    collisions_are_legacy: whether what begins like a frame and is none is a legacy value

    Raises FrameError for whatever cannot be read, and ImportError if the package of a codec is missing. Time and memory
    are bounded by max_length and by what so many stored bytes can hold; with Brotli before version 1.2, by 16 MiB more.
    """
    if stored is None:
        return None
    if legacy not in LEGACY and legacy not in ("raw", "none"):
        raise ValueError(f"there is no legacy codec {legacy!r}")
    if legacy == "none" and (reads_sql or collisions_are_legacy):
        raise ValueError("a column without legacy values holds frames only")
    stored = bytes(stored)
    if stored[:2] == MAGIC:
        if (reads_sql or legacy == "mysql") and is_compress(stored):  # the length of such a value may be BE C1
            return compress(stored, max_length)
        try:
            return framed_value(stored, dictionaries, legacy, max_length)
        except FrameError as e:
            if not collisions_are_legacy or e.reason not in ("NOT_A_FRAME", "NEWER_VERSION", "UNKNOWN_CODEC"):
                raise
    elif reads_sql and begins_like_compress(stored, max_length):
        if compressed_length(stored) > max_length:
            raise too_long(compressed_length(stored), max_length)
        try:
            return safely(compress, stored, max_length)
        except FrameError as e:
            if not collisions_are_legacy or e.reason != "DAMAGED":
                raise
    return legacy_value(stored, legacy, max_length)
