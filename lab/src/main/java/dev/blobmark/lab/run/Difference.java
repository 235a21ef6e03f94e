package dev.blobmark.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Something that was one way when a run began and is another way now.
 *
 * @param name what it is: {@code host.cores}
 * @param was {@value #NOTHING} for what was not there
 * @param is likewise
 */
public record Difference(String name, String was, String is) {

    private static final String NOTHING = "–";

    /** {@code name: was → is}. */
    @Override
    public String toString() {
        return name + ": " + was + " → " + is;
    }

    /** What bears on results beside study and server: Blobmark, the processor, the measuring JVMs, the libraries. */
    public static List<Difference> ofSurroundings(Manifest was, Manifest is) {
        return between(surroundings(was), surroundings(is));
    }

    /**
     * Of two servers: kind, version, and those settings that bear on results. Port, paths and other things that differ
     * between two starts of one server are no difference.
     */
    public static List<Difference> ofServers(String name, Manifest.MeasuredServer was, Manifest.MeasuredServer is) {
        return between(server(name, was), server(name, is));
    }

    private static SortedMap<String, String> surroundings(Manifest manifest) {
        SortedMap<String, String> facts = new TreeMap<>();
        Host host = manifest.machine().host();
        facts.put("blobmark", manifest.blobmark().version());
        facts.put("host.os", host.os());
        facts.put("host.arch", host.arch());
        facts.put("host.cpu", host.cpu().orElse(NOTHING));
        facts.put("host.cores", Integer.toString(host.cores()));
        manifest.machine().jvms().forEach((level, jvm) -> {
            facts.put("jvms." + level + ".vendor", jvm.vendor());
            facts.put("jvms." + level + ".version", jvm.version());
            facts.put("jvms." + level + ".flags", String.join(" ", jvm.flags()));
        });
        manifest.machine().libraries().forEach((library, version) -> facts.put("libraries." + library, version));
        return facts;
    }

    private static SortedMap<String, String> server(String name, Manifest.MeasuredServer server) {
        SortedMap<String, String> facts = new TreeMap<>();
        String start = "servers." + name + ".";
        facts.put(start + "kind", server.kind());
        facts.put(start + "product", server.product());
        facts.put(start + "version", server.version());
        facts.put(start + "comment", server.comment());
        server.proxy().ifPresent(proxy -> facts.put(start + "proxy", proxy));
        server.settings().forEach((variable, value) -> facts.put(start + variable, value));
        return facts;
    }

    private static List<Difference> between(SortedMap<String, String> was, SortedMap<String, String> is) {
        TreeSet<String> names = new TreeSet<>(was.keySet());
        names.addAll(is.keySet());
        List<Difference> differences = new ArrayList<>();
        for (String name : names) {
            Difference here = new Difference(name, was.getOrDefault(name, NOTHING), is.getOrDefault(name, NOTHING));
            if (!here.was.equals(here.is)) {
                differences.add(here);
            }
        }
        return differences;
    }
}
