package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Makes what is stored for values, so that a reader of the same form gives them back. */
final class ValueWriter {

    /** What readers of values of COMPRESS() take for nothing else. */
    private static final Codec COMPRESS = Codecs.parse("mysql");

    private final ValueReader reader;
    private final Optional<Frames> frames;
    private final Optional<Codec> sql;

    /** Values in frames, if that saves enough. */
    static final class Frames {

        private final PayloadCodec.Encoder encoder;
        private final EncodingPolicy policy;
        private final Compressibility compressibility;
        private final int dictionary;

        Frames(PayloadCodec.Encoder encoder, EncodingPolicy policy) {
            this.encoder = encoder;
            this.policy = policy;
            compressibility = new Compressibility(encoder);
            dictionary = encoder.dictionary().map(ValueDictionary::number).orElse(-1);
        }

        /** Bytes that {@link #encode} needs for a value. */
        int room(int length) {
            return FrameHeader.MAX_BYTES + encoder.codec().maxEncodedLength(length) + FrameHeader.CHECKSUM_BYTES;
        }

        boolean isTooShort(int length) {
            return length < Math.max(1, policy.minLength());
        }

        /** Writes a frame if that saves enough; returns its end, or 0 if the value stays raw. */
        int encode(byte[] source, int offset, int length, byte[] target, int targetOffset) {
            if (isTooShort(length) || !compressibility.isWorthATry(source, offset, length, target, targetOffset)) {
                return 0;
            }
            int body = targetOffset + FrameHeader.bytes(encoder.payload(), dictionary >= 0, length);
            int end = body + encoder.codec().encode(source, offset, length, target, body);
            if (policy.hasChecksum()) {
                ValueReader.INT.set(target, end, ValueReader.checksum(source, offset, length));
                end += FrameHeader.CHECKSUM_BYTES;
            }
            int written = end - targetOffset;
            if (written >= length || written > length * (1 - policy.minSaving())) {
                return 0;
            }
            FrameHeader.write(target, targetOffset, end, encoder.payload(), length, dictionary, policy.hasChecksum());
            return end;
        }

        /**
         * Writes a frame or a raw value from one array into another.
         *
         * @param target with {@link #room} for the value
         * @return number of bytes written
         */
        int write(byte[] source, int offset, int length, byte[] target, int targetOffset) {
            int end = encode(source, offset, length, target, targetOffset);
            if (end > 0) {
                return end - targetOffset;
            }
            if (!FrameHeader.begins(source, offset, length)) {
                System.arraycopy(source, offset, target, targetOffset, length);
                return length;
            }
            int body = targetOffset + FrameHeader.bytes(PayloadCodec.ESCAPED, false, length);
            System.arraycopy(source, offset, target, body, length);
            FrameHeader.write(target, targetOffset, body + length, PayloadCodec.ESCAPED, length, -1, false);
            return body + length - targetOffset;
        }
    }

    /** @param sql what makes values for SQL; without it and frames, nothing is encoded */
    ValueWriter(ValueReader reader, Optional<Frames> frames, Optional<Codec> sql) {
        this.reader = reader;
        this.frames = frames;
        this.sql = sql;
    }

    /** Kinds of frames that readers meet, other than escaped values. */
    Set<PayloadCodec> payloads() {
        Set<PayloadCodec> payloads = EnumSet.noneOf(PayloadCodec.class);
        frames.ifPresent(encoding -> payloads.add(encoding.encoder.payload()));
        if (!reader.form().hasLegacy() || reader.form().readsSql() && sql.isEmpty()) {
            payloads.add(PayloadCodec.STORED);
        }
        return payloads;
    }

    /** The same array if the value stays raw. */
    byte[] write(byte[] value) {
        if (sql.isPresent()) {
            return encodedForSql(value);
        }
        Frames encoding = frames.orElseThrow();
        if (encoding.isTooShort(value.length)) {
            return leave(value);
        }
        try (Scratch scratch = Scratch.of(encoding.room(value.length))) {
            int end = encoding.encode(value, 0, value.length, scratch.bytes(), 0);
            return end > 0 ? unambiguous(Arrays.copyOf(scratch.bytes(), end), value) : leave(value);
        }
    }

    /** All values are encoded: SQL's UNCOMPRESS() would take others for damaged. */
    private byte[] encodedForSql(byte[] value) {
        Codec codec = sql.orElse(COMPRESS);
        try (Scratch scratch = Scratch.of(codec.maxEncodedLength(value.length))) {
            return Arrays.copyOf(scratch.bytes(), codec.encode(value, 0, value.length, scratch.bytes(), 0));
        }
    }

    /**
     * What is stored while nothing is encoded: the same array, unless a reader of this column would take it for
     * encoded. That reader may have another limit, so what is done does not depend on that of this format.
     */
    byte[] leave(byte[] value) {
        if (!reader.form().hasLegacy()) {
            return stored(value);
        }
        byte[] legacy = reader.form().legacy().write(value);
        if (FrameHeader.begins(legacy)) {
            return unambiguous(escaped(legacy), value);
        }
        if (reader.form().legacy().isSql() || !reader.mayLookLikeSql(legacy)) {
            return legacy;
        }
        return sql.isPresent() ? encodedForSql(value) : unambiguous(stored(value), value);
    }

    /** Bytes can be chosen so that their frame is a whole value of COMPRESS(), as which it would be read. */
    private byte[] unambiguous(byte[] frame, byte[] value) {
        return reader.isSql(frame) ? encodedForSql(value) : frame;
    }

    /** A legacy value that begins like a frame. */
    private static byte[] escaped(byte[] value) {
        return framed(value, PayloadCodec.ESCAPED);
    }

    /** A value that is not encoded, with its checksum. */
    private static byte[] stored(byte[] value) {
        return framed(value, PayloadCodec.STORED);
    }

    private static byte[] framed(byte[] value, PayloadCodec payload) {
        boolean hasChecksum = payload == PayloadCodec.STORED;
        int body = FrameHeader.bytes(payload, false, value.length);
        byte[] frame = new byte[body + value.length + (hasChecksum ? FrameHeader.CHECKSUM_BYTES : 0)];
        System.arraycopy(value, 0, frame, body, value.length);
        if (hasChecksum) {
            ValueReader.INT.set(frame, body + value.length, ValueReader.checksum(value, 0, value.length));
        }
        FrameHeader.write(frame, 0, frame.length, payload, value.length, -1, hasChecksum);
        return frame;
    }
}
