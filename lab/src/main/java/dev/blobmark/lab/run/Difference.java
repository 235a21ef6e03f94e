package dev.blobmark.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A fact that has changed since a run began.
 *
 * @param name of the fact: {@code host.cores}
 * @param was the value when the run began; {@value #NOTHING} if there was none
 * @param is the value now; {@value #NOTHING} if there is none
 */
public record Difference(String name, String was, String is) {

    private static final String NOTHING = "–";

    /** {@code name: was → is}. */
    @Override
    public String toString() {
        return name + ": " + was + " → " + is;
    }

    /** Facts that affect results, except study and servers: Blobmark, the processor, measuring JVMs, libraries. */
    public static List<Difference> ofSurroundings(Manifest was, Manifest is) {
        return between(surroundings(was), surroundings(is));
    }

    /**
     * The kind, version and settings of two servers. Ports, paths and other values that change between two starts of a
     * server are not compared.
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
        List<Machine.MeasuringHost> hosts = manifest.machine().hosts();
        for (int i = 0; i < hosts.size(); i++) {
            facts.put("hosts." + i, hosts.get(i).inWords());
        }
        manifest.machine().libraries().forEach((library, version) -> facts.put("libraries." + library, version));
        return facts;
    }

    private static SortedMap<String, String> server(String name, Manifest.MeasuredServer server) {
        SortedMap<String, String> facts = new TreeMap<>();
        String prefix = "servers." + name + ".";
        facts.put(prefix + "kind", server.kind());
        facts.put(prefix + "product", server.product());
        facts.put(prefix + "version", server.version());
        facts.put(prefix + "comment", server.comment());
        server.proxy().ifPresent(proxy -> facts.put(prefix + "proxy", proxy));
        server.settings().forEach((variable, value) -> facts.put(prefix + variable, value));
        return facts;
    }

    private static List<Difference> between(SortedMap<String, String> was, SortedMap<String, String> is) {
        TreeSet<String> names = new TreeSet<>(was.keySet());
        names.addAll(is.keySet());
        List<Difference> differences = new ArrayList<>();
        for (String name : names) {
            Difference pair = new Difference(name, was.getOrDefault(name, NOTHING), is.getOrDefault(name, NOTHING));
            if (!pair.was.equals(pair.is)) {
                differences.add(pair);
            }
        }
        return differences;
    }
}
