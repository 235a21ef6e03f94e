package dev.blobmark.lab.run;

import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Size;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** What two runs of the same trials may differ in, and what may therefore lie behind a difference of their figures. */
public final class Surroundings {

    /**
     * Server variables that tell one server from its twin: paths, ports, identities, positions in a log, and the version, which is told by
     * itself. All others count, those that nobody would think of as well.
     */
    private static final Pattern IDENTITY =
            Pattern.compile(".*dir|.*dir_path|.*directory|.*_file|.*_key_path|.*_basename"
                    + "|(.*_)?port|(.*_)?socket|(.*_)?host(name)?|server_u?u?id|secure_file_priv|log_error|log_bin_index|relay_log.*"
                    + "|(admin_)?(ssl|tls)_(ca|cert|key|capath|crl|crlpath)|gtid_.*(pos|state|executed|purged)|wsrep_.*"
                    + "|timestamp|version.*");

    private static final int SHOWN_OF_A_DIGEST = 12;

    private Surroundings() {}

    /** Each by its name; names stand in the order in which they are told. */
    public static Map<String, String> of(Manifest manifest) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("Blobmark", manifest.blobmark());
        all.put(
                "study",
                manifest.study().name()
                        + (manifest.study().profile().isEmpty()
                                ? ""
                                : " (" + manifest.study().profile() + ")"));
        Schedule schedule = manifest.study().schedule();
        schedule.settings().forEach(all::put);
        all.put("links", String.join(", ", manifest.links()));
        manifest.datasets()
                .forEach(d -> all.put(
                        "dataset " + d.id()
                                + (d.size().isPresent()
                                        ? " "
                                                + new Size(
                                                        Math.toIntExact(d.size().getAsLong()))
                                        : ""),
                        d.digest()
                                .substring(
                                        0,
                                        Math.min(SHOWN_OF_A_DIGEST, d.digest().length()))));
        Host host = manifest.host();
        all.put("host CPU", host.cpu().orElse("not known"));
        all.put("host cores", Integer.toString(host.cores()));
        all.put(
                "host memory",
                host.memoryBytes().isPresent()
                        ? String.format(
                                Locale.ROOT, "%.1f GB", host.memoryBytes().getAsLong() / (double) (1L << 30))
                        : "not known");
        all.put("host system", host.os() + " " + host.kernel() + " " + host.arch());
        all.put("JVM", manifest.jvm().vendor() + " " + manifest.jvm().version());
        all.put("JVM flags", String.join(" ", manifest.jvm().flags()));
        manifest.libraries().forEach((name, version) -> all.put("library " + name, version));
        manifest.servers().forEach((name, server) -> {
            all.put("server " + name, identity(server));
            server.variables().forEach((variable, value) -> {
                if (!IDENTITY.matcher(variable).matches()) {
                    all.put("server " + name + " " + variable, value);
                }
            });
        });
        return all;
    }

    /** {@code MariaDB 11.4.5-MariaDB, embedded (mariadb.org binary distribution)}. */
    static String identity(MeasuredServer server) {
        return server.product() + " " + server.version() + ", " + server.kind()
                + (server.comment().isEmpty() ? "" : " (" + server.comment() + ")");
    }

    /** The names under which not all of the runs that have them have the same, in order. */
    public static List<String> differing(Collection<Manifest> runs) {
        List<Map<String, String>> all = runs.stream().map(Surroundings::of).toList();
        Set<String> names = new LinkedHashSet<>();
        all.forEach(one -> names.addAll(one.keySet()));
        return names.stream()
                .filter(name -> all.stream()
                                .map(one -> one.get(name))
                                .filter(Objects::nonNull)
                                .distinct()
                                .count()
                        > 1)
                .toList();
    }
}
