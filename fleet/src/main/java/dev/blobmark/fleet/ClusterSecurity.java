package dev.blobmark.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a cluster must have, so that only those who know its secret use it and read what it sends. */
final class ClusterSecurity {

    static final String INTERFACE = "spark.ui.enabled";

    /** The option for a cluster without all this. */
    static final String INSECURE = "--insecure-cluster";

    private static final String TLS = "spark.ssl.rpc.enabled";

    /** One of them says which certificates are accepted; without, all are. */
    private static final List<String> TRUSTED = List.of(
            "spark.ssl.rpc.trustStore", "spark.ssl.trustStore", "spark.ssl.rpc.certChain", "spark.ssl.certChain");

    private ClusterSecurity() {}

    /**
     * Refuses an application whose own settings leave a door open.
     *
     * @param settings of the application
     * @throws IllegalArgumentException if they do; the message has the setting to change
     */
    static void require(Map<String, String> settings) {
        if (!isOn(settings, "spark.authenticate")) {
            throw refused(
                    "spark.authenticate is not true, so whoever reaches a port of the cluster or of Spark's driver"
                            + " runs programs there");
        }
        boolean isTls = isOn(settings, TLS); // it takes precedence
        if (!isTls && !isOn(settings, "spark.network.crypto.enabled")) {
            throw refused("neither spark.network.crypto.enabled nor " + TLS
                    + " is true, so whoever shares the network reads what Spark sends");
        }
        if (isTls
                && TRUSTED.stream()
                        .allMatch(setting -> settings.getOrDefault(setting, "").isBlank())) {
            throw refused(
                    TLS + " is true without spark.ssl.rpc.trustStore: Spark then accepts every certificate, so whoever"
                            + " shares the network reads and changes what it sends");
        }
        String store =
                settings.getOrDefault("spark.ssl.rpc.trustStore", settings.getOrDefault("spark.ssl.trustStore", ""));
        if (isTls && !store.isBlank() && !Files.isReadable(Path.of(store))) {
            throw refused("the file " + store + " of Spark's trustStore cannot be read, and Spark then accepts every"
                    + " certificate; it must be there on each host too");
        }
        if (!isTls && isOn(settings, "spark.network.crypto.saslFallback")) {
            throw refused(
                    "spark.network.crypto.saslFallback is true, so whoever shares the network turns encryption off");
        }
        if (isOn(settings, INTERFACE)
                && settings.getOrDefault("spark.ui.filters", "").isBlank()) {
            throw refused(
                    INTERFACE + " is true without spark.ui.filters, so whoever reaches its port sees and ends jobs");
        }
    }

    /**
     * Asks the masters, before Spark connects to them.
     *
     * @throws IllegalArgumentException if one answers without authentication, or not like a master
     * @throws IOException if none can be reached
     */
    static void ask(Masters masters, Map<String, String> settings) throws IOException {
        masters.reachable();
        boolean isTls = isOn(settings, TLS);
        for (Masters.MasterAddress place : masters.places()) {
            switch (MasterProbe.ask(place)) {
                case UNREACHABLE -> {} // a master that waits for the end of another one
                case AUTHENTICATED -> {
                    if (isTls) {
                        throw refused(TLS + " is true, but the master " + place + " speaks without TLS");
                    }
                }
                case CLOSED -> {
                    if (!isTls) {
                        throw refused("the master " + place + " closes the connection; if it uses TLS, set " + TLS);
                    }
                }
                case OPEN ->
                    throw refused(
                            "the master " + place
                                    + " reads messages without authentication, so whoever reaches its port runs programs on its hosts");
                case OTHER -> throw refused(place + " does not answer like a master of Spark 4");
            }
        }
    }

    private static boolean isOn(Map<String, String> settings, String setting) {
        return Boolean.parseBoolean(settings.getOrDefault(setting, "false"));
    }

    private static IllegalArgumentException refused(String reason) {
        return new IllegalArgumentException("the cluster is refused: " + reason
                + "; see docs/fleet.md for the settings, or add " + INSECURE + " if all who can are trusted");
    }
}
