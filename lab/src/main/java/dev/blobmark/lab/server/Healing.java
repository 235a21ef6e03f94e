package dev.blobmark.lab.server;

import java.util.List;

/** A server that survives the loss of a part, and can start that part again. */
public interface Healing extends Server {

    /** What happened since the last call. A part that is still missing is reported each time. */
    List<Incident> incidents();

    /**
     * Starts the lost parts again; returns what it did, in words.
     *
     * @throws ServerException if a part cannot be started
     */
    List<String> heal();
}
