package dev.blobmark.lab.server.own;

import dev.blobmark.lab.environment.Environment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a server of a store outside MySQL comes from: Blobmark starts it, or it is already running.
 *
 * @param <T> the opened server
 */
@FunctionalInterface
public interface ServerSource<T> {

    /**
     * Starts the server, or connects to it.
     *
     * @param environment of a server that is started
     * @param launch of a server that is started
     * @throws dev.blobmark.mysql.server.ServerException if the server does not start, or refuses the login
     */
    T open(Path cache, Environment environment, ServerLaunch launch);

    /** The same in the usual environment. */
    default T open(Path cache) {
        return open(cache, Environment.DEFAULT, ServerLaunch.USUAL);
    }

    /** Whether Blobmark does not start the server. */
    default boolean isRunning() {
        return false;
    }

    /** Whether the server is on another host. */
    default boolean isRemote() {
        return false;
    }

    /** Why connections cannot be encrypted, or cannot be unencrypted; empty if they can. */
    default Optional<String> encryptionProblem(boolean isEncrypted) {
        return Optional.empty();
    }

    /** The same source with another view of the opened server. */
    default <U> ServerSource<U> map(Function<? super T, ? extends U> view) {
        ServerSource<T> source = this;
        return new ServerSource<>() {
            @Override
            public U open(Path cache, Environment environment, ServerLaunch launch) {
                return view.apply(source.open(cache, environment, launch));
            }

            @Override
            public boolean isRunning() {
                return source.isRunning();
            }

            @Override
            public boolean isRemote() {
                return source.isRemote();
            }

            @Override
            public Optional<String> encryptionProblem(boolean isEncrypted) {
                return source.encryptionProblem(isEncrypted);
            }
        };
    }
}
