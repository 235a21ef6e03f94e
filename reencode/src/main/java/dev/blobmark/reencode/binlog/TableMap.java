package dev.blobmark.reencode.binlog;

import java.util.ArrayList;
import java.util.List;

/**
 * What the log says of a table before its rows: names and the types of its columns.
 *
 * @param id by which the rows refer to it, within a statement
 * @param schema as the server writes it
 * @param table as the server writes it
 * @param jsonColumns number of columns of MySQL's type JSON
 */
record TableMap(long id, String schema, String table, List<LoggedType> columns, int jsonColumns) {

    private static final int SHORT_HEADER = 6;
    private static final int FLAGS = 2;
    private static final int METADATA_OF_TWO = 2;
    private static final int JSON = 245;

    /** The id of a table, with which all bodies of its events begin. */
    static long id(Bytes body, int postHeader) {
        return body.little(postHeader == SHORT_HEADER ? Integer.BYTES : 6);
    }

    /** Reads id and names only; the columns are empty. */
    static TableMap names(Bytes body, int postHeader) {
        long id = id(body, postHeader);
        body.skip(FLAGS);
        String schema = body.text(body.unsignedByte());
        body.skip(1);
        String table = body.text(body.unsignedByte());
        body.skip(1);
        return new TableMap(id, schema, table, List.of(), 0);
    }

    /** Reads all that is needed to find columns in rows; what follows is optional and left out. */
    static TableMap read(Bytes body, int postHeader) {
        TableMap names = names(body, postHeader);
        byte[] types = body.bytes(body.packed());
        Bytes metadata = body.part(body.packed());
        List<LoggedType> columns = new ArrayList<>();
        int jsonColumns = 0;
        for (byte type : types) {
            int code = Byte.toUnsignedInt(type);
            jsonColumns += code == JSON ? 1 : 0;
            columns.add(LoggedType.of(
                    code,
                    switch (LoggedType.metadataBytes(code)) {
                        case 1 -> new int[] {metadata.unsignedByte()};
                        case METADATA_OF_TWO -> new int[] {metadata.unsignedByte(), metadata.unsignedByte()};
                        default -> new int[0];
                    }));
        }
        if (metadata.left() != 0) {
            throw new IndexOutOfBoundsException(metadata.left() + " bytes of metadata of columns are left");
        }
        return new TableMap(names.id, names.schema, names.table, columns, jsonColumns);
    }
}
