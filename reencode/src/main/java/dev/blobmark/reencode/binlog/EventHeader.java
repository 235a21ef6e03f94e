package dev.blobmark.reencode.binlog;

/**
 * The first 19 bytes of an event.
 *
 * @param timestamp seconds since 1970
 * @param type code of the {@link EventType}
 * @param size of the event in bytes, with the header and the checksum
 * @param nextPosition the low 32 bits of the offset of the next event; 0 if it is not said
 */
record EventHeader(long timestamp, int type, long size, long nextPosition, int flags) {

    static final int BYTES = 19;

    private static final int ARTIFICIAL = 0x20;

    static EventHeader read(Bytes event) {
        long timestamp = event.little(Integer.BYTES);
        int type = event.unsignedByte();
        event.skip(Integer.BYTES); // the server's id
        return new EventHeader(timestamp, type, event.little(Integer.BYTES), event.little(Integer.BYTES), (int)
                event.little(Short.BYTES));
    }

    /** Whether the server made it for the reader. */
    boolean isArtificial() {
        return (flags & ARTIFICIAL) != 0;
    }

    /** Since 11.4, MariaDB does not write the place of events within a transaction (binlog_legacy_event_pos=OFF). */
    boolean hasPosition() {
        return nextPosition != 0;
    }
}
