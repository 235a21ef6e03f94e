package dev.blobmark.mysql.server;

import java.util.List;

/** A server that survives the loss of a part and can start that part again. */
public interface Recoverable extends Server {

    /** Events since the last call. A part that is still missing is reported by each call. */
    List<Incident> incidents();

    /**
     * Starts lost parts again.
     *
     * @return what was done, a line for each part
     * @throws ServerException if a part cannot be started
     */
    List<String> recover();
}
