package dev.blobmark.value;

import dev.blobmark.value.FrameException.Reason;
import java.util.Optional;

/**
 * Encodes values for a column of a database and decodes what is stored there, whether it was written in this format or
 * before it:
 *
 * <pre>{@code
 * static final ValueFormat FORMAT = ValueFormat.builder().reads(Legacy.RAW).writes("zstd:3").build();
 *
 * statement.setBytes(1, FORMAT.encode(value));
 * byte[] value = FORMAT.decode(rows.getBytes(1));
 * }</pre>
 *
 * <p>Nothing is encoded until {@link #startWriting} is called: first every reader of the column must decode with this
 * library, then one may write. {@link #stopWriting} takes it back at once. A value that is not worth encoding is stored
 * as legacy values are: as it is, or by their codec. {@code null} stays {@code null}, as SQL's {@code NULL}.
 *
 * <p>A format may be used by any number of threads. It keeps buffers and native contexts for each thread.
 */
public final class ValueFormat {

    /** The largest packet that MySQL's and MariaDB's clients and servers of today take by default, in bytes. */
    public static final int STANDARD_MAX_LENGTH = 64 << 20;

    /** Reads and writes the bytes of a column. */
    interface Wire {

        /** @throws FrameException if it cannot be read */
        byte[] read(byte[] stored);

        /** The same array if the value stays raw. */
        byte[] write(byte[] value);

        /** What is stored while nothing is encoded: the same array, unless a reader would take it for encoded. */
        byte[] leave(byte[] value);
    }

    private final Wire wire;
    private final Optional<String> codec;
    private final Optional<ReaderRegistry> registry;
    private final Optional<ValueListener> listener;
    private volatile boolean isWriting;

    private ValueFormat(Builder builder, Wire wire) {
        this.wire = wire;
        codec = builder.codec;
        registry = builder.registry;
        listener = builder.listener;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * What is stored for a value.
     *
     * @param value its bytes; {@code null} for {@code NULL}
     * @return the array that was given if the value stays as it is; do not change it then
     * @throws IllegalArgumentException if the value is longer than {@link Builder#maxLength}
     */
    public byte[] encode(byte[] value) {
        if (value == null) {
            return null;
        }
        if (!isWriting || !mayWrite()) {
            return wire.leave(value);
        }
        long begin = listener.isPresent() ? System.nanoTime() : 0;
        byte[] stored = wire.write(value);
        if (listener.isPresent()) {
            listener.get().encoded(value.length, stored.length, System.nanoTime() - begin);
        }
        return stored;
    }

    private boolean mayWrite() {
        return registry.isEmpty() || registry.get().allReadersRead(codec.orElseThrow());
    }

    /**
     * The value that is stored.
     *
     * @param stored as the database returns it; {@code null} for {@code NULL}
     * @return the array that was given if it is the value itself
     * @throws FrameException if it cannot be read; never are other bytes returned than those that were encoded
     * @throws UnsupportedOperationException if the library of the codec that it was encoded with is not there; the
     *     message names it
     */
    public byte[] decode(byte[] stored) {
        if (stored == null) {
            return null;
        }
        if (listener.isEmpty()) {
            return wire.read(stored);
        }
        long begin = System.nanoTime();
        byte[] value = wire.read(stored);
        listener.get().decoded(value.length, stored.length, System.nanoTime() - begin);
        return value;
    }

    /** Whether values are encoded; false at first. */
    public boolean isWriting() {
        return isWriting;
    }

    /**
     * From now on values are encoded.
     *
     * @throws IllegalStateException if no codec was given, or a reader announced itself that cannot read what would be
     *     written; the message names it
     */
    public void startWriting() {
        if (codec.isEmpty()) {
            throw new IllegalStateException("this format only reads; say what it writes: builder().writes(\"zstd:3\")");
        }
        registry.ifPresent(readers -> readers.requireAllRead(codec.get()));
        isWriting = true;
    }

    /** From now on values are stored as legacy values are. Those that look encoded get a header. */
    public void stopWriting() {
        isWriting = false;
    }

    /** What values are encoded with; empty if this format only reads. */
    public Optional<String> codec() {
        return codec;
    }

    /** Makes a format. Without any other call it reads frames and raw values, and cannot write. */
    public static final class Builder {

        private Legacy legacy = Legacy.RAW;
        private Optional<String> codec = Optional.empty();
        private Policy policy = Policy.STANDARD;
        private Dictionaries dictionaries = Dictionaries.NONE;
        private Optional<Dictionary> dictionary = Optional.empty();
        private int maxLength = STANDARD_MAX_LENGTH;
        private boolean areCollisionsLegacy;
        private Optional<ReaderRegistry> registry = Optional.empty();
        private Optional<ValueListener> listener = Optional.empty();

        private Builder() {}

        /** How values without a frame are read and written: {@link Legacy#RAW}, or all of them encoded by one codec. */
        public Builder reads(Legacy values) {
            legacy = values;
            return this;
        }

        /**
         * What values are encoded with, once {@link ValueFormat#startWriting} is called.
         *
         * @param with {@code zstd:3}, {@code lz4}, {@code lz4hc:9}, {@code deflate:6}, {@code brotli:5} or
         *     {@code snappy}; or {@code mysql:6}: the column then holds what {@code COMPRESS()} makes, without frames,
         *     and SQL reads it with {@code UNCOMPRESS()}
         */
        public Builder writes(String with) {
            codec = Optional.of(with);
            return this;
        }

        /** Which values are encoded; without this, {@link Policy#STANDARD}. With {@code mysql} all are. */
        public Builder policy(Policy which) {
            policy = which;
            return this;
        }

        /** Where readers find dictionaries. */
        public Builder dictionaries(Dictionaries of) {
            dictionaries = of;
            return this;
        }

        /** Encodes with a dictionary, which {@link #dictionaries} must find later. */
        public Builder writesWith(Dictionary with) {
            dictionary = Optional.of(with);
            return this;
        }

        /** The longest value that is read and written, in bytes: 1 to 1 GiB − 1; without this, 64 MiB. */
        public Builder maxLength(int bytes) {
            if (bytes < 1 || bytes >= 1 << 30) {
                throw new IllegalArgumentException("maxLength is " + bytes + "; it is 1 to 1 GiB - 1");
            }
            maxLength = bytes;
            return this;
        }

        /**
         * Bytes that begin like a frame and are none are legacy values, not an error, and while nothing is encoded they
         * are stored as they are. Only for the time in which nothing was encoded yet: later, truncated values would be
         * returned as they are.
         */
        public Builder collisionsAreLegacy() {
            areCollisionsLegacy = true;
            return this;
        }

        /** Values are only encoded while all readers that announced themselves can read them. */
        public Builder readers(ReaderRegistry of) {
            registry = Optional.of(of);
            return this;
        }

        /** Receives the size and time of each value, for metrics. */
        public Builder listener(ValueListener metrics) {
            listener = Optional.of(metrics);
            return this;
        }

        /**
         * The format.
         *
         * @throws IllegalArgumentException if there is no such codec, or it takes no dictionary
         * @throws UnsupportedOperationException if the codec's library is not on the class path or does not work on
         *     this platform; the message names it
         */
        public ValueFormat build() {
            boolean isForSql = codec.filter(name -> name.equals("mysql") || name.startsWith("mysql:"))
                    .isPresent();
            if (isForSql) {
                if (dictionary.isPresent()) {
                    throw new IllegalArgumentException("'" + codec.get() + "' takes no dictionary; zstd does");
                }
                return new ValueFormat(this, new SqlValues(codec.get(), legacy, maxLength, areCollisionsLegacy));
            }
            return new ValueFormat(
                    this,
                    new FramedValues(
                            new FramedValues.Reading(legacy, dictionaries, dictionary, maxLength, areCollisionsLegacy),
                            codec.map(name -> PayloadCodec.Encoder.parse(name, dictionary)),
                            policy));
        }
    }

    /** Whether an error means that bytes are not of this format, as far as a reader can know. */
    static boolean isCollision(FrameException e) {
        return e.reason() == Reason.NOT_A_FRAME
                || e.reason() == Reason.NEWER_VERSION
                || e.reason() == Reason.UNKNOWN_CODEC;
    }
}
