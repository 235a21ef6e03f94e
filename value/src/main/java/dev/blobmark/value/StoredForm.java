package dev.blobmark.value;

import dev.blobmark.value.FrameException.Reason;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What stored bytes look like, found without decoding them: for tools that look into a column. Whether they can be
 * decoded is known only by {@link ValueFormat#decode}.
 *
 * @param codec that a frame names, such as {@code zstd}; {@code mysql} for {@link Kind#SQL}; empty for others
 * @param dictionary number of the dictionary that a frame refers to; empty without one
 * @param hasChecksum whether a frame has one
 * @param headerBytes length of a frame's header, in bytes; 0 for others
 * @param valueBytes length that the bytes state for the value, in bytes; for {@link Kind#ESCAPED} that of the legacy
 *     value, which may be encoded itself; empty where none is stated
 * @param problem why bytes that begin like a frame are none; empty for other kinds
 */
public record StoredForm(
        Kind kind,
        Optional<String> codec,
        OptionalInt dictionary,
        boolean hasChecksum,
        int headerBytes,
        OptionalInt valueBytes,
        Optional<Problem> problem) {

    /** The kind of stored bytes. */
    public enum Kind {
        /** No bytes. */
        EMPTY,
        /** A frame with an encoded value. */
        ENCODED,
        /** A frame with a legacy value that begins like a frame. */
        ESCAPED,
        /** A frame with the value itself and its checksum. */
        STORED,
        /** They begin as {@code COMPRESS()} makes them. In a column without such values, others may begin so too. */
        SQL,
        /** They begin like a frame and are none, or one that is not known here. */
        NO_FRAME,
        /** A legacy value: what was there before, or a value that was not worth a frame. */
        LEGACY
    }

    /** Why bytes that begin like a frame are none. */
    public record Problem(Reason reason, String message) {}

    private static final SqlValues SQL = new SqlValues(ValueFormat.STANDARD_MAX_LENGTH);
    private static final String SQL_CODEC = "mysql";

    /** @param stored as the database returns it, not {@code null} */
    public static StoredForm of(byte[] stored) {
        if (stored.length == 0) {
            return without(Kind.EMPTY, Optional.empty(), OptionalInt.of(0));
        }
        if (!FrameHeader.begins(stored)) {
            return SQL.begins(stored) ? ofSql(stored) : without(Kind.LEGACY, Optional.empty(), OptionalInt.empty());
        }
        try {
            return framed(FrameHeader.read(stored, 0, stored.length, Integer.MAX_VALUE));
        } catch (FrameException e) {
            return SqlValues.isWhole(stored)
                    ? ofSql(stored)
                    : new StoredForm(
                            Kind.NO_FRAME,
                            Optional.empty(),
                            OptionalInt.empty(),
                            false,
                            0,
                            OptionalInt.empty(),
                            Optional.of(new Problem(e.reason(), e.getMessage())));
        }
    }

    /** Whether stored bytes begin as each frame does. Other bytes may do so too. */
    public static boolean beginsLikeFrame(byte[] stored) {
        return FrameHeader.begins(stored);
    }

    private static StoredForm ofSql(byte[] stored) {
        return without(Kind.SQL, Optional.of(SQL_CODEC), OptionalInt.of(SqlValues.length(stored)));
    }

    private static StoredForm without(Kind kind, Optional<String> codec, OptionalInt valueBytes) {
        return new StoredForm(kind, codec, OptionalInt.empty(), false, 0, valueBytes, Optional.empty());
    }

    private static StoredForm framed(long header) {
        PayloadCodec payload = FrameHeader.payload(header);
        int dictionary = FrameHeader.dictionary(header);
        return new StoredForm(
                switch (payload) {
                    case ESCAPED -> Kind.ESCAPED;
                    case STORED -> Kind.STORED;
                    default -> Kind.ENCODED;
                },
                payload.isEncoding() ? Optional.of(payload.family()) : Optional.empty(),
                dictionary < 0 ? OptionalInt.empty() : OptionalInt.of(dictionary),
                FrameHeader.hasChecksum(header),
                FrameHeader.headerBytes(header),
                OptionalInt.of(FrameHeader.length(header)),
                Optional.empty());
    }

    /** For users, such as {@code frame, version 1, zstd, dictionary 0f3a9c, checksum}. */
    @Override
    public String toString() {
        return switch (kind) {
            case EMPTY -> "empty";
            case ENCODED, ESCAPED, STORED ->
                "frame, version " + FrameHeader.VERSION
                        + codec.map(name -> ", " + name)
                                .orElse(kind == Kind.ESCAPED ? ", escaped" : ", stored as it is")
                        + (dictionary.isPresent() ? ", dictionary " + ValueDictionary.name(dictionary.getAsInt()) : "")
                        + (hasChecksum ? ", checksum" : "");
            case SQL -> "begins as COMPRESS() makes it";
            case NO_FRAME ->
                "begins like a frame and is none: " + problem.orElseThrow().reason();
            case LEGACY -> "without a frame";
        };
    }
}
