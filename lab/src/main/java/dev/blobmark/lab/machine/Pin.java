package dev.blobmark.lab.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The processors to which measuring JVMs and Blobmark's own server are pinned; empty if the system chooses.
 *
 * @param client of each measuring JVM, for all of its threads
 * @param server of the server
 */
public record Pin(Optional<CpuList> client, Optional<CpuList> server) {

    public static final Pin NONE = new Pin(Optional.empty(), Optional.empty());

    private static final String FORM = "write client=1,server=0, with 0-3 or 0+2 for several processors, or none";

    /**
     * Parses the value of {@code --pin}: {@code client=1,server=0}, {@code client=2-3}, {@code server=0+2},
     * {@code none}. A comma separates client and server, so a plus separates processors.
     *
     * @throws IllegalArgumentException if the text is not such a value
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
     * Pins client and server to half of the cores each, as if they were on separate hosts. If both may run anywhere,
     * the kernel sometimes puts them on one core and sometimes on two, and a short operation takes up to three times as
     * long on two. Hardware threads of one core stay together.
     *
     * @param threads the fewest operations in flight of a study; if the client's half has fewer processors, placement
     *     averages out
     * @return {@link #NONE} if that is not possible: on one core, with too many threads, on a system other than Linux
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
        TreeSet<Integer> union = new TreeSet<>();
        lists.forEach(list -> union.addAll(list.cpus()));
        return new CpuList(union);
    }

    /**
     * The same pins, with the server on one processor: the last of its processors, or of all that this process may use.
     *
     * @throws MachineException if a process cannot be pinned here
     */
    public Pin withServerOnOne() {
        CpuList processors = server.or(() -> SystemTree.HERE.allowed("self"))
                .orElseThrow(() -> new MachineException("pinning a server to a processor requires Linux"));
        return new Pin(client, Optional.of(CpuList.of(processors.cpus().last())));
    }

    /** Words to put before a command that starts a measuring JVM. */
    public List<String> clientPrefix() {
        return prefix(client);
    }

    /** Words to put before a command that starts a server. */
    public List<String> serverPrefix() {
        return prefix(server);
    }

    private static List<String> prefix(Optional<CpuList> cpus) {
        return cpus.map(list -> List.of("taskset", "-c", list.toString())).orElse(List.of());
    }

    /**
     * Tries the pins on a process that ends at once.
     *
     * @throws MachineException if this machine cannot pin: the message has the reason and the remedy
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
                .orElseThrow(
                        () -> new MachineException(option + ": pinning a process requires Linux; leave it out here"));
        if (!allowed.containsAll(cpus.get())) {
            throw new MachineException(option + ": this process may only use the processors " + allowed
                    + "; choose from these, or allow more (docker run --cpuset-cpus, taskset)");
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
            throw new MachineException(option + ": a process pinned to " + cpus.get() + " may run on " + effective
                    + ", because the system overrides it: choose these processors, or leave the option out");
        }
    }

    /** @throws MachineException if the measuring JVM may run elsewhere */
    public void verifyClient(long pid) {
        client.ifPresent(cpus -> verify("measuring JVM", pid, cpus));
    }

    /** @throws MachineException if the server may run elsewhere */
    public void verifyServer(long pid) {
        server.ifPresent(cpus -> verify("server", pid, cpus));
    }

    /** Checks the effective processors. Another program, or the container, may have moved the process. */
    private static void verify(String role, long pid, CpuList cpus) {
        Optional<CpuList> effective = SystemTree.HERE.allowed(Long.toString(pid));
        if (effective.isPresent() && !effective.get().equals(cpus)) {
            throw new MachineException("the " + role + ", process " + pid + ", was pinned to " + cpus
                    + " but may run on " + effective.get()
                    + ": exclude it from what moves it (cpuset, a daemon such as irqbalance or numad)");
        }
    }

    /** In the format of {@link #parse}; empty if nothing is pinned. */
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
