package dev.blobmark.lab.store.postgres;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows of a key and a value in the binary format of COPY (the manual's page "COPY", section "Binary Format").
 */
final class BinaryCopy {

    /** Size of a COPY message. Smaller ones take more time; larger ones gain nothing. */
    private static final int MESSAGE_BYTES = 256 << 10;

    private static final byte[] HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 255, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };

    /** Before each value: number of fields, length of the key, key, length of the value. */
    private static final int ROW_BYTES = 2 + 4 + 4 + 4;

    private static final short END = -1;

    private final CopyIn copy;
    private ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES).put(HEADER);

    BinaryCopy(CopyIn copy) {
        this.copy = copy;
    }

    void row(int key, byte[] value) throws SQLException {
        int length = ROW_BYTES + value.length;
        if (message.remaining() < length) {
            send();
        }
        if (message.capacity() < length) {
            message = ByteBuffer.allocate(length);
        }
        message.putShort((short) 2).putInt(4).putInt(key).putInt(value.length).put(value);
    }

    private void send() throws SQLException {
        copy.writeToCopy(message.array(), 0, message.position());
        message.clear();
    }

    void end() throws SQLException {
        if (message.remaining() < Short.BYTES) {
            send();
        }
        message.putShort(END);
        send();
        copy.endCopy();
    }
}
