package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Factor.Use;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Encodes and decodes values without a server, each for about half of the time. Timed: only the call of the codec, from
 * array to array, not reading the value.
 */
final class CodecOnly implements Workload {

    private static final int ENCODE = 0;
    private static final int DECODE = 1;

    @Override
    public String id() {
        return "codec";
    }

    @Override
    public String description() {
        return "encode and decode a value, without a server";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("encode", "decode");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.VALUES);
    }

    @Override
    public boolean timesTypesSeparately() {
        return true;
    }

    @Override
    public Operation open(Setup setup) throws IOException {
        return new CodecOperation(setup.values(), setup.codec());
    }

    /** Reads each value from the file before it is timed, so that a dataset may be larger than the heap. */
    private static final class CodecOperation implements Operation {

        private final EncodedValues values;
        private final Codec codec;
        private final byte[] decoded;
        private final byte[] encoded;
        private final byte[] buffer;
        private int storedLength;
        private int length;

        CodecOperation(EncodedValues values, Codec codec) {
            this.values = values;
            this.codec = codec;
            int maxLength = values.maxLength();
            decoded = new byte[maxLength];
            encoded = new byte[codec.maxEncodedLength(maxLength)];
            buffer = new byte[encoded.length];
        }

        @Override
        public int nextType(long turn, long[] busyNanos) {
            return busyNanos[ENCODE] <= busyNanos[DECODE] ? ENCODE : DECODE;
        }

        @Override
        public void prepare(int type, int row) {
            storedLength = values.copyStored(row, encoded);
            if (type == ENCODE) {
                codec.decode(encoded, 0, storedLength, decoded, 0, values.length(row));
            }
        }

        @Override
        public long perform(int type, int row) {
            if (type == ENCODE) {
                length = codec.encode(decoded, 0, values.length(row), buffer, 0);
            } else {
                length = codec.decode(encoded, 0, storedLength, decoded, 0, values.length(row));
            }
            return values.length(row);
        }

        @Override
        public void verify(int type, int row, boolean content) {
            int expected = type == ENCODE ? storedLength : values.length(row);
            if (length != expected) {
                throw new WrongValueException("value " + row + " gave " + length + " bytes instead of " + expected);
            }
            if (content) {
                if (type == ENCODE) {
                    codec.decode(buffer, 0, length, decoded, 0, values.length(row));
                }
                if (EncodedValues.hash(decoded, 0, values.length(row)) != values.hash(row)) {
                    throw new WrongValueException("value " + row + " differs after encoding and decoding");
                }
            }
        }

        @Override
        public void close() {}
    }
}
