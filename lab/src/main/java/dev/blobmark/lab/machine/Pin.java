package dev.blobmark.lab.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The processors that measuring JVMs and a server of Blobmark's own are held to; empty where one is left to the system.
 *
 * @param client of each measuring JVM, all of its threads
 * @param server of the server
 */
public record Pin(Optional<CpuList> client, Optional<CpuList> server) {

    public static final Pin NONE = new Pin(Optional.empty(), Optional.empty());

    private static final String FORM = "write client=1,server=0, with 0-3 or 0+2 for several processors, or none";

    /**
     * Reads what {@code --pin} was given: {@code client=1,server=0}, {@code client=2-3}, {@code server=0+2}, {@code none}. A comma separates
     * the two sides, so a plus stands between processors.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Pin parse(String text) {
        if (text.equals("none")) {
            return NONE;
        }
        Map<String, CpuList> sides = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            String[] side = part.split("=", 2);
            if (side.length != 2 || !side[0].matches("client|server")) {
                throw new IllegalArgumentException("'" + part + "' pins neither client nor server; " + FORM);
            }
            try {
                if (sides.put(side[0], CpuList.parse(side[1].replace('+', ','))) != null) {
                    throw new IllegalArgumentException("the " + side[0] + " is pinned twice");
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(e.getMessage() + "; " + FORM, e);
            }
        }
        return new Pin(Optional.ofNullable(sides.get("client")), Optional.ofNullable(sides.get("server")));
    }

    /**
     * Client and server each on half of the cores, as on hosts of their own. Where both may run everywhere, the kernel puts them on one core at
     * times and on two at others, and a short operation takes up to three times as long on two. Hardware threads of one core stay together.
     *
     * @param threads the fewest operations in flight of a study: where the client's half has fewer processors, places average out
     * @return {@link #NONE} where that cannot be done: on one core, with too many threads, on a system other than Linux
     */
    public static Pin apart(int threads) {
        Pin apart = apart(Processors.cores(SystemTree.HERE), threads);
        try {
            apart.check();
            return apart;
        } catch (MachineException e) {
            return NONE;
        }
    }

    /** @param cores each with the processors that share it */
    static Pin apart(List<CpuList> cores, int threads) {
        if (cores.size() < 2) {
            return NONE;
        }
        int servers = (cores.size() + 1) / 2;
        CpuList client = union(cores.subList(servers, cores.size()));
        return threads > client.size()
                ? NONE
                : new Pin(Optional.of(client), Optional.of(union(cores.subList(0, servers))));
    }

    private static CpuList union(List<CpuList> lists) {
        TreeSet<Integer> all = new TreeSet<>();
        lists.forEach(list -> all.addAll(list.cpus()));
        return new CpuList(all);
    }

    /**
     * The same with the server on one processor: the last of its own, or of all that this process may use.
     *
     * @throws MachineException if a process cannot be pinned here
     */
    public Pin withServerOnOne() {
        CpuList its = server.or(() -> SystemTree.HERE.allowed("self"))
                .orElseThrow(() -> new MachineException("only Linux lets a server be pinned to a processor"));
        return new Pin(client, Optional.of(CpuList.of(its.cpus().last())));
    }

    /** What a command that starts a measuring JVM is to begin with. */
    public List<String> clientPrefix() {
        return prefix(client);
    }

    /** What a command that starts a server is to begin with. */
    public List<String> serverPrefix() {
        return prefix(server);
    }

    private static List<String> prefix(Optional<CpuList> cpus) {
        return cpus.map(list -> List.of("taskset", "-c", list.toString())).orElse(List.of());
    }

    /**
     * Tries it on a process that ends at once.
     *
     * @throws MachineException if this machine cannot do it: the message says why, and what to do
     */
    public void check() {
        check(SystemTree.HERE);
    }

    void check(SystemTree tree) {
        check(tree, "client", client);
        check(tree, "server", server);
    }

    private static void check(SystemTree tree, String side, Optional<CpuList> cpus) {
        if (cpus.isEmpty()) {
            return;
        }
        String option = "--pin " + side + "=" + cpus.get().toString().replace(',', '+');
        CpuList allowed = tree.allowed("self")
                .orElseThrow(() -> new MachineException(
                        option + ": only Linux lets a process be pinned from outside; leave it out here"));
        if (!allowed.containsAll(cpus.get())) {
            throw new MachineException(option + ": this process may only use the processors " + allowed
                    + "; name some of these, or allow it more (docker run --cpuset-cpus, taskset)");
        }
        String status;
        try {
            List<String> command = new ArrayList<>(prefix(cpus));
            command.addAll(List.of("cat", "/proc/self/status"));
            status = ThisThread.run(command);
        } catch (MachineException e) {
            throw new MachineException(option + ": " + e.getMessage(), e);
        }
        String effective = status.lines()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.replaceFirst(".*:\\s*", ""))
                .findFirst()
                .orElse("unknown");
        if (!effective.equals(cpus.get().toString())) {
            throw new MachineException(option + ": a process pinned to " + cpus.get() + " was given " + effective
                    + "; the system overrides it: ask for these, or leave it out");
        }
    }

    /** @throws MachineException if that measuring JVM runs elsewhere */
    public void verifyClient(long pid) {
        client.ifPresent(cpus -> verify("measuring JVM", pid, cpus));
    }

    /** @throws MachineException if that server runs elsewhere */
    public void verifyServer(long pid) {
        server.ifPresent(cpus -> verify("server", pid, cpus));
    }

    /** What is effective counts, not what was asked for: another program, or the container, may have moved it. */
    private static void verify(String who, long pid, CpuList cpus) {
        Optional<CpuList> effective = SystemTree.HERE.allowed(Long.toString(pid));
        if (effective.isPresent() && !effective.get().equals(cpus)) {
            throw new MachineException(
                    "the " + who + ", process " + pid + ", was pinned to " + cpus + " but may run on " + effective.get()
                            + ": what moves it (cpuset, a daemon such as irqbalance or numad) must leave it alone");
        }
    }

    /** As {@link #parse} reads it; empty if nothing is pinned. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        client.ifPresent(cpus -> text.append("client=").append(cpus.toString().replace(',', '+')));
        server.ifPresent(cpus -> text.append(text.isEmpty() ? "" : ",")
                .append("server=")
                .append(cpus.toString().replace(',', '+')));
        return text.toString();
    }
}
