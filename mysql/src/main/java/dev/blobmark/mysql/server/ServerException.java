package dev.blobmark.mysql.server;

/** A server could not be started, found or stopped. The message has the place, the reason and the remedy. */
public final class ServerException extends RuntimeException {

    public ServerException(String message) {
        super(message);
    }

    public ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
