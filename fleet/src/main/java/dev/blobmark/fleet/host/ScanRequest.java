package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/** A column, or a part of one, all of whose values the executors read. It has no secret: Spark passes it on. */
public sealed interface ScanRequest extends Serializable permits FilesRequest, TableRequest {

    void write(DataOutput out) throws IOException;

    static ScanRequest read(DataInput in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case FilesRequest.KIND -> FilesRequest.readFrom(in);
            case TableRequest.KIND -> TableRequest.readFrom(in);
            default -> throw new IOException("a request of the unknown kind " + kind);
        };
    }
}
