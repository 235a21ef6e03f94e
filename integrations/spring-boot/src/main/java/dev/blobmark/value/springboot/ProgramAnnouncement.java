package dev.blobmark.value.springboot;

import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ValueFormat;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/** That of this program, if the starter makes it. */
final class ProgramAnnouncement implements AutoCloseable {

    private final Optional<Announcement> announcement;

    private ProgramAnnouncement(Optional<Announcement> announcement) {
        this.announcement = announcement;
    }

    static ProgramAnnouncement of(ReaderRegistry readers, String name, ValueFormat format) throws SQLException {
        return new ProgramAnnouncement(Optional.of(readers.announce(name, format)));
    }

    /**
     * Of an application that makes its formats.
     *
     * @param isAnnounced whether the application has announcements, so that it says itself what it reads
     * @throws IllegalStateException if there are several formats, and none is announced
     */
    static ProgramAnnouncement of(
            ReaderRegistry readers, String name, Collection<ValueFormat> formats, boolean isAnnounced)
            throws SQLException {
        if (isAnnounced) {
            return new ProgramAnnouncement(Optional.empty());
        }
        if (formats.size() > 1) {
            throw new IllegalStateException("there are several beans of ValueFormat, and this program reads with all of"
                    + " them: announce each as a bean, such as readers.announce(\"" + name + ", orders.payload\","
                    + " format)");
        }
        return of(readers, name, formats.iterator().next());
    }

    @Override
    public void close() throws SQLException {
        if (announcement.isPresent()) {
            announcement.get().close();
        }
    }
}
