package dev.blobmark.lab.server.own;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.StudyVariables;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Options of a MySQL or MariaDB that Blobmark starts. They do not apply to a running server.
 *
 * @param bufferPoolBytes size of InnoDB's buffer pool, in bytes: whole MiB, at least {@link Environment#MIN_POOL_BYTES}
 * @param maxAllowedPacketBytes the largest statement or row, in bytes: a multiple of 1024, at most 1 GiB
 * @param tls whether connections can be encrypted
 * @param variables further server variables by name, as in an option file
 */
public record ServerOptions(
        long bufferPoolBytes,
        long maxAllowedPacketBytes,
        boolean tls,
        Map<String, String> variables,
        ServerLaunch launch) {

    private static final long GIB = 1L << 30;

    /** Enough for a MEDIUMBLOB, which has up to 16 MiB. */
    private static final long USUAL_PACKET_BYTES = 64L << 20;

    public ServerOptions {
        Environment.requirePool(bufferPoolBytes);
        if (maxAllowedPacketBytes < 1024 || maxAllowedPacketBytes > GIB || maxAllowedPacketBytes % 1024 != 0) {
            throw new IllegalArgumentException("a max_allowed_packet of " + maxAllowedPacketBytes
                    + " bytes: it must be a multiple of 1024 from 1024 to " + GIB);
        }
        Map<String, String> normal = new TreeMap<>();
        variables.forEach((name, value) -> normal.put(StudyVariables.name(name), StudyVariables.line(name, value)));
        variables = Map.copyOf(normal);
        Objects.requireNonNull(launch, "launch");
    }

    /** With TLS, packets of 64 MiB, and no further variables. */
    public static ServerOptions of(long bufferPoolBytes) {
        return new ServerOptions(bufferPoolBytes, USUAL_PACKET_BYTES, true, Map.of(), ServerLaunch.USUAL);
    }

    /** With the buffer pool and the variables that a trial needs. */
    public static ServerOptions of(Environment environment) {
        return of(environment.bufferPoolBytes()).with(environment.variables());
    }

    public ServerOptions withTls(boolean isPossible) {
        return new ServerOptions(bufferPoolBytes, maxAllowedPacketBytes, isPossible, variables, launch);
    }

    /** With other variables. */
    public ServerOptions with(Map<String, String> others) {
        return new ServerOptions(bufferPoolBytes, maxAllowedPacketBytes, tls, others, launch);
    }

    public ServerOptions with(ServerLaunch other) {
        return new ServerOptions(bufferPoolBytes, maxAllowedPacketBytes, tls, variables, other);
    }
}
