package dev.blobmark.reencode.world;

import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.LogEvents;
import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.change.LogPlace;
import java.io.IOException;

/** The log of the model as it is sent to a reader, at a pace that the world decides. */
final class ModelLogEvents implements LogEvents {

    private final Model model;
    private final Process process;
    private final LogPosition from;
    private LogFile file;
    private int next = -2;
    private boolean isClosed;
    private boolean isLost;

    ModelLogEvents(Model model, Process process, LogPlace place) {
        this.model = model;
        this.process = process;
        from = LogPosition.parse(place.position());
        for (LogFile each = model.firstLog; each != null && file == null; each = each.next) {
            file = each.name.equals(from.file()) ? each : null;
        }
    }

    /** The connection ends. */
    void lose() {
        isLost = true;
    }

    @Override
    public byte[] next() throws IOException {
        while (true) {
            if (isClosed || process.isKilled) {
                throw new IOException("closed");
            }
            if (isLost) {
                throw new IOException("the connection was lost");
            }
            if (file == null || file.isPurged && next < 0) {
                throw new IncompleteLogException("the server cannot send its log: " + from.file() + " (error 1236)");
            }
            if (process.readable > 0 && (next < file.events.size() || file.next != null)) {
                process.readable--;
                return event();
            }
            if (process.readable > 0 && file != model.log) {
                afterReset();
            }
            process.reading.pause();
        }
    }

    /** The file was removed. The server says where it is, or reads beyond the end of the file that it has open. */
    private void afterReset() {
        if (!file.name.equals(model.log.name)) {
            throw new IncompleteLogException("the server is in the file " + model.log.name);
        }
        if (model.log.end() > file.end()) {
            throw new IncompleteLogException("the server cannot send its log (error 1236)");
        }
    }

    private byte[] event() {
        if (next == -2) {
            next = -1;
            return file.begin(from.offset());
        }
        if (next == -1) {
            next = 0;
            while (next < file.events.size() && file.events.get(next).offset() < from.offset()) {
                next++;
            }
            if (next < file.events.size() && file.events.get(next).offset() > from.offset()
                    || next == file.events.size() && file.end() != from.offset()) {
                throw new IncompleteLogException("the server cannot send its log from " + from + " (error 1236)");
            }
            if (next > 0) {
                return file.format();
            }
        }
        if (next == file.events.size()) {
            file = file.next;
            next = 0;
        }
        return file.events.get(next++).bytes();
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
