package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import dev.blobmark.value.ReaderRegistry.Written;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * <p>What is read depends on what the column holds ({@link Builder#reads}, {@link Builder#readsSql}), and not on what
 * is written: all formats of a column that agree on the former read what any of them writes. They need the dictionaries
 * and the libraries for it, and refuse a value that is longer than their {@link Builder#maxLength}.
 *
 * <p>A format may be used by any number of threads. Neither method waits for a connection or asks a server. Buffers and
 * native contexts are shared by all threads; their number depends on that of the processors.
 */
public final class ValueFormat {

    /** The largest packet that MySQL's and MariaDB's clients and servers of today take by default, in bytes. */
    public static final int STANDARD_MAX_LENGTH = 64 << 20;

    private static final String SQL = "mysql";

    private final ValueReader reader;
    private final ValueWriter writer;
    private final Dictionaries dictionaries;
    private final Optional<ValueDictionary> dictionary;
    private final Optional<String> codec;
    private final Optional<ReaderRegistry> registry;
    private final Written written;
    private final Listeners listeners;
    private final AtomicInteger stops = new AtomicInteger();
    private volatile boolean isWriting;

    private ValueFormat(Builder builder, ValueReader reader, ValueWriter writer) {
        this.reader = reader;
        this.writer = writer;
        dictionaries = builder.dictionaries;
        dictionary = builder.dictionary;
        codec = builder.codec;
        registry = builder.registry;
        listeners = new Listeners(builder.listeners);
        Set<String> families = new LinkedHashSet<>();
        writer.payloads().forEach(payload -> families.add(payload.family()));
        if (codec.filter(Builder::isSql).isPresent()) {
            families.add(SQL);
        }
        written = new Written(
                codec.orElse("nothing")
                        + dictionary.map(with -> " with " + with).orElse(""),
                families,
                dictionary.map(with -> Set.of(with.number())).orElse(Set.of()));
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * What is stored for a value.
     *
     * @param value its bytes; {@code null} for {@code NULL}
     * @return the array that was given if the value stays as it is; do not change it then. To be inserted within 23
     *     hours: what is encoded with a dictionary that is withdrawn later may not be readable after that
     * @throws IllegalArgumentException if the value is longer than {@link Builder#maxLength}
     */
    public byte[] encode(byte[] value) {
        return encode(value, false, 0);
    }

    /**
     * The same for a value of a row that listeners are to know.
     *
     * @param key of the row, or a hash of it
     */
    public byte[] encode(byte[] value, long key) {
        return encode(value, true, key);
    }

    private byte[] encode(byte[] value, boolean hasKey, long key) {
        if (value == null) {
            return null;
        }
        if (value.length > reader.form().maxLength()) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes, and at most "
                    + reader.form().maxLength() + " are read again; see maxLength");
        }
        if (!isWriting) {
            return writer.leave(value);
        }
        if (!mayWrite()) {
            listeners.each(listener -> listener.prevented(value.length));
            return writer.leave(value);
        }
        if (listeners.isEmpty()) {
            return writer.write(value);
        }
        long begin = System.nanoTime();
        byte[] stored = writer.write(value);
        long nanos = System.nanoTime() - begin;
        listeners.each(listener -> {
            if (hasKey) {
                listener.encoded(value.length, stored.length, nanos, key);
            } else {
                listener.encoded(value.length, stored.length, nanos);
            }
        });
        return stored;
    }

    private boolean mayWrite() {
        return (registry.isEmpty() || registry.get().allReadersRead(written))
                && (dictionary.isEmpty()
                        || !dictionaries.isWithdrawn(dictionary.get().number()));
    }

    /**
     * The value that is stored.
     *
     * @param stored as the database returns it; {@code null} for {@code NULL}
     * @return the array that was given if it is the value itself
     * @throws FrameException if it cannot be read. With a checksum, a change of stored bytes is found unless it hits
     *     the first two: then they are taken for a value from before, except with {@link Legacy#NONE}
     * @throws UnsupportedOperationException if the library of the codec that it was encoded with is not there; the
     *     message names it
     * @throws DictionaryException if dictionaries are looked for in files, and these cannot be read
     */
    public byte[] decode(byte[] stored) {
        return decode(stored, false, 0);
    }

    /**
     * The same for a value of a row that listeners are to know.
     *
     * @param key of the row, or a hash of it
     */
    public byte[] decode(byte[] stored, long key) {
        return decode(stored, true, key);
    }

    private byte[] decode(byte[] stored, boolean hasKey, long key) {
        if (stored == null) {
            return null;
        }
        if (listeners.isEmpty()) {
            return reader.read(stored);
        }
        long begin = System.nanoTime();
        byte[] value;
        try {
            value = reader.read(stored);
        } catch (FrameException e) {
            Reason reason = e.reason();
            listeners.each(listener -> listener.unreadable(reason));
            throw e;
        }
        long nanos = System.nanoTime() - begin;
        int length = value.length;
        listeners.each(listener -> {
            if (hasKey) {
                listener.decoded(length, stored.length, nanos, key);
            } else {
                listener.decoded(length, stored.length, nanos);
            }
        });
        return value;
    }

    /** Whether values are encoded; false at first. */
    public boolean isWriting() {
        return isWriting;
    }

    /**
     * From now on values are encoded. With {@link Builder#readers} the server is asked: do not call it while a
     * connection is held that another one waits for.
     *
     * @throws IllegalStateException if no codec was given, a reader announced itself that cannot read what would be
     *     written, which the message names, the dictionary was withdrawn, or {@link #stopWriting} was called meanwhile
     */
    public void startWriting() {
        if (codec.isEmpty()) {
            throw new IllegalStateException("this format only reads; say what it writes: builder().writes(\"zstd:3\")");
        }
        int before = stops.get();
        dictionary.filter(with -> dictionaries.isWithdrawn(with.number())).ifPresent(with -> {
            throw new IllegalStateException(with + " was withdrawn, or it is not known whether it was");
        });
        registry.ifPresent(readers -> {
            readers.requireAllRead(written);
            readers.keepReading();
        });
        synchronized (stops) {
            if (stops.get() != before) {
                throw new IllegalStateException("writing was stopped while it began");
            }
            isWriting = true;
        }
    }

    /**
     * From now on values are stored as legacy values are. Those that look encoded get a header. Does not wait, also not
     * for a {@link #startWriting} of another thread, which then fails.
     */
    public void stopWriting() {
        synchronized (stops) {
            stops.incrementAndGet();
            isWriting = false;
        }
    }

    /** How often {@link #stopWriting} was called. Who tries to start again and again sees by it that it is to end. */
    public int stops() {
        return stops.get();
    }

    /** What values are encoded with; empty if this format only reads. */
    public Optional<String> codec() {
        return codec;
    }

    /**
     * Whether values of a codec can be read here: it belongs to the format, and its library is there and works.
     *
     * @param codec such as {@code zstd}, {@code lz4hc:9}, or {@code mysql} for values of {@code COMPRESS()}
     * @return false also for what is no codec of the format
     */
    public boolean canRead(String codec) {
        return readableCodecs().contains(family(codec));
    }

    /** Names of families as readers announce them. */
    Set<String> readableCodecs() {
        return Stream.concat(
                        reader.form().readsSql() ? Stream.of(SQL) : Stream.empty(),
                        Arrays.stream(PayloadCodec.values())
                                .filter(payload -> payload != PayloadCodec.ESCAPED
                                        && payload.unavailable().isEmpty())
                                .map(PayloadCodec::family))
                .collect(Collectors.toUnmodifiableSet());
    }

    void reloadDictionaries() {
        dictionaries.reload();
    }

    Set<Integer> readableDictionaries() {
        if (PayloadCodec.ZSTD.unavailable().isPresent()) {
            return Set.of();
        }
        return Stream.concat(
                        dictionaries.numbers().stream(), dictionary.stream().map(ValueDictionary::number))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String family(String codec) {
        String name = codec.split("[:+]", -1)[0];
        return name.equals("lz4hc") ? "lz4" : name;
    }

    /** Makes a format. Without any other call it reads frames and raw values, and cannot write. */
    public static final class Builder {

        private Legacy legacy = Legacy.RAW;
        private boolean readsSql;
        private Optional<String> codec = Optional.empty();
        private Set<String> required = Set.of();
        private Optional<EncodingPolicy> policy = Optional.empty();
        private Dictionaries dictionaries = Dictionaries.NONE;
        private Optional<ValueDictionary> dictionary = Optional.empty();
        private int maxLength = STANDARD_MAX_LENGTH;
        private boolean areCollisionsLegacy;
        private Optional<ReaderRegistry> registry = Optional.empty();
        private final List<ValueListener> listeners = new ArrayList<>();

        private Builder() {}

        /**
         * How values without a frame are read and written: {@link Legacy#RAW}, all of them encoded by one codec, or
         * {@link Legacy#NONE}. All formats of a column must agree on it.
         */
        public Builder reads(Legacy values) {
            legacy = Objects.requireNonNull(values, "values");
            return this;
        }

        /**
         * The column may hold what {@code COMPRESS()} makes, next to frames and legacy values. Needed to write
         * {@code mysql}, and to read a column that was written so. All formats of a column must agree on it.
         */
        public Builder readsSql() {
            readsSql = true;
            return this;
        }

        /**
         * What values are encoded with, once {@link ValueFormat#startWriting} is called.
         *
         * @param with {@code zstd:3}, {@code lz4}, {@code lz4hc:9}, {@code deflate:6}, {@code brotli:5} or
         *     {@code snappy}; or {@code mysql:6}, with {@link #readsSql}: values are then what {@code COMPRESS()}
         *     makes, without frames, and SQL reads them with {@code UNCOMPRESS()}
         */
        public Builder writes(String with) {
            codec = Optional.of(Objects.requireNonNull(with, "with"));
            return this;
        }

        /**
         * Codecs whose values must be readable, such as those that other programs write. Without this, only the library
         * of the codec that is {@linkplain #writes written} has to be there.
         *
         * @param codecs such as {@code zstd}
         */
        public Builder requires(String... codecs) {
            required = Set.copyOf(Arrays.asList(codecs));
            return this;
        }

        /** Which values are encoded; without this, {@link EncodingPolicy#STANDARD}. With {@code mysql} all are. */
        public Builder policy(EncodingPolicy which) {
            policy = Optional.of(Objects.requireNonNull(which, "which"));
            return this;
        }

        /** Where readers find dictionaries. */
        public Builder dictionaries(Dictionaries of) {
            dictionaries = Objects.requireNonNull(of, "of");
            return this;
        }

        /** Encodes with a dictionary, which {@link #dictionaries} must find. */
        public Builder writesWith(ValueDictionary with) {
            dictionary = Optional.of(Objects.requireNonNull(with, "with"));
            return this;
        }

        /**
         * The longest value that is read and written, in bytes: 1 to 1 GiB − 1; without this, 64 MiB. Legacy values
         * that are not encoded are read at any length. It has no effect on how a value is stored. With
         * {@link #readsSql}, a legacy value that states a length as {@code COMPRESS()} does, and was stored without
         * this library, is an error if that length is within the limit; text states 512 MiB and more.
         */
        public Builder maxLength(int bytes) {
            if (bytes < 1 || bytes >= 1 << 30) {
                throw new IllegalArgumentException("maxLength is " + bytes + "; it is 1 to 1 GiB - 1");
            }
            maxLength = bytes;
            return this;
        }

        /**
         * Stored bytes that begin like a frame and are none are legacy values, not an error; those that only begin like
         * a value of {@code COMPRESS()} likewise. Only for the time in which nothing was encoded yet: later, truncated
         * values would be returned as they are. It has no effect on what is written, so that formats without it read
         * that.
         */
        public Builder collisionsAreLegacy() {
            areCollisionsLegacy = true;
            return this;
        }

        /**
         * Values are only encoded while all readers that announced themselves can read them. Others are stored in the
         * legacy way; where that would be read as something else, or there is none, in a frame as they are, whatever
         * readers have announced: each reader of a column must read these.
         */
        public Builder readers(ReaderRegistry of) {
            registry = Optional.of(Objects.requireNonNull(of, "of"));
            return this;
        }

        /** Receives the size and time of each value, for metrics. Several can be given. */
        public Builder listener(ValueListener metrics) {
            listeners.add(Objects.requireNonNull(metrics, "metrics"));
            return this;
        }

        private static boolean isSql(String codec) {
            return family(codec).equals(SQL);
        }

        /**
         * The format.
         *
         * @throws IllegalArgumentException if there is no such codec, it takes no dictionary, its values would not be
         *     read, or the dictionary is not found where readers look for it
         * @throws UnsupportedOperationException if a codec's library is not on the class path, is too old, or does not
         *     work on this platform; the message names it
         */
        public ValueFormat build() {
            boolean isForSql = codec.filter(Builder::isSql).isPresent();
            if (isForSql && !readsSql) {
                throw new IllegalArgumentException(
                        "'" + codec.get() + "' is not written to a column that is read without"
                                + " values of COMPRESS(): add readsSql() to all formats of this column");
            }
            if (isForSql && dictionary.isPresent()) {
                throw new IllegalArgumentException("'" + codec.get() + "' takes no dictionary; zstd does");
            }
            if (legacy == Legacy.NONE && (readsSql || areCollisionsLegacy)) {
                throw new IllegalArgumentException("a column without legacy values holds frames only: leave out "
                        + (readsSql ? "readsSql()" : "collisionsAreLegacy()"));
            }
            if (legacy == Legacy.NONE
                    && policy.filter(one -> !one.hasChecksum()).isPresent()) {
                throw new IllegalArgumentException(
                        "a column without legacy values has checksums: use a policy with hasChecksum");
            }
            dictionary.ifPresent(this::requireFound);
            legacy.codec().ifPresent(one -> one.maxEncodedLength(0)); // fails here if its library is not there
            ValueReader.Form form = new ValueReader.Form(legacy, readsSql, maxLength, areCollisionsLegacy);
            ValueReader reader = new ValueReader(form, dictionaries, dictionary);
            Optional<ValueWriter.Frames> frames = codec.filter(name -> !isSql(name))
                    .map(name -> new ValueWriter.Frames(
                            PayloadCodec.Encoder.parse(name, dictionary), policy.orElse(EncodingPolicy.STANDARD)));
            Optional<Codec> sql = codec.filter(Builder::isSql).map(Codecs::parse);
            ValueFormat format = new ValueFormat(this, reader, new ValueWriter(reader, frames, sql));
            required.forEach(format::requireReadable);
            return format;
        }

        private void requireFound(ValueDictionary with) {
            boolean isFound = dictionaries
                    .find(with.number())
                    .filter(found -> Arrays.equals(found.sha256(), with.sha256()))
                    .isPresent();
            if (!isFound) {
                throw new IllegalArgumentException(with + " is not found where readers look for it, so they could not"
                        + " read what is written: store it there first, and give it as dictionaries(...)");
            }
        }
    }

    private void requireReadable(String codec) {
        if (!canRead(codec)) {
            throw new UnsupportedOperationException(Arrays.stream(PayloadCodec.values())
                    .filter(payload -> payload.family().equals(family(codec)))
                    .findFirst()
                    .flatMap(PayloadCodec::unavailable)
                    .orElse("this format does not read '" + codec + "'"
                            + (family(codec).equals(SQL) ? ": add readsSql()" : "")));
        }
    }
}
