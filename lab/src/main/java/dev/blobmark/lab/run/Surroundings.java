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

/**
 * The settings, versions and hardware in which two runs of the same trials may differ, which may explain their figures.
 */
public final class Surroundings {

    private static final int DIGEST_LENGTH = 12;

    private Surroundings() {}

    /** Values by name, in the order in which they are shown. */
    public static Map<String, String> of(Manifest manifest) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("Blobmark", manifest.blobmark().name());
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
                                .substring(0, Math.min(DIGEST_LENGTH, d.digest().length()))));
        Host host = manifest.machine().host();
        all.put("host CPU", host.cpu().orElse("not known"));
        all.put("host cores", Integer.toString(host.cores()));
        all.put(
                "host memory",
                host.memoryBytes().isPresent()
                        ? String.format(
                                Locale.ROOT, "%.1f GB", host.memoryBytes().getAsLong() / (double) (1L << 30))
                        : "not known");
        all.put("host system", host.os() + " " + host.kernel() + " " + host.arch());
        manifest.machine().jvms().forEach((level, jvm) -> {
            String name = level.equals("default") ? "JVM" : "JVM " + level;
            all.put(name, jvm.vendor() + " " + jvm.version());
            all.put(name + " flags", String.join(" ", jvm.flags()));
        });
        Map<String, Integer> hosts = new LinkedHashMap<>();
        manifest.machine().hosts().forEach(measuring -> hosts.merge(measuring.inWords(), 1, Integer::sum));
        hosts.forEach((words, count) -> all.put("hosts of " + words, Integer.toString(count)));
        Machine.Quiet quiet = manifest.machine().quiet();
        all.put("client pinned to", quiet.pin().client().map(Object::toString).orElse("nothing"));
        all.put("server pinned to", quiet.pin().server().map(Object::toString).orElse("nothing"));
        all.put("cores kept awake", quiet.keptAwake().map(Object::toString).orElse("none"));
        manifest.machine().libraries().forEach((name, version) -> all.put("library " + name, version));
        manifest.servers().forEach((name, server) -> {
            all.put("server " + name, identity(server));
            server.settings().forEach((variable, value) -> all.put("server " + name + " " + variable, value));
        });
        return all;
    }

    /** {@code MariaDB 11.4.5-MariaDB, embedded (mariadb.org binary distribution)}. */
    static String identity(MeasuredServer server) {
        return server.product() + " " + server.version() + ", " + server.kind()
                + (server.comment().isEmpty() ? "" : " (" + server.comment() + ")");
    }

    /** The names whose values differ between the runs that have them. */
    public static List<String> differing(Collection<Manifest> runs) {
        List<Map<String, String>> all = runs.stream().map(Surroundings::of).toList();
        Set<String> names = new LinkedHashSet<>();
        all.forEach(values -> names.addAll(values.keySet()));
        return names.stream()
                .filter(name -> all.stream()
                                .map(values -> values.get(name))
                                .filter(Objects::nonNull)
                                .distinct()
                                .count()
                        > 1)
                .toList();
    }
}
