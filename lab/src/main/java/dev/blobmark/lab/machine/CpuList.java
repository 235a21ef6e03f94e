package dev.blobmark.lab.machine;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A list of at least one processor, by the kernel's numbers. Written like the kernel and {@code taskset} do:
 * {@code 0-3,6}, see the "List format" of cpuset(7).
 */
public record CpuList(SortedSet<Integer> cpus) {

    /** More than the largest CONFIG_NR_CPUS of Linux. */
    private static final int MOST = 8192;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    public CpuList {
        cpus = Collections.unmodifiableSortedSet(new TreeSet<>(cpus));
        if (cpus.isEmpty() || cpus.first() < 0 || cpus.last() >= MOST) {
            throw new IllegalArgumentException(
                    "a list of processors must have at least one, between 0 and " + (MOST - 1));
        }
    }

    public static CpuList of(Integer... cpus) {
        return new CpuList(new TreeSet<>(List.of(cpus)));
    }

    /** @throws IllegalArgumentException if the text is not a list of numbers and ranges */
    @JsonCreator
    public static CpuList parse(String text) {
        TreeSet<Integer> cpus = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            int first = range.matches() ? Integer.parseInt(range.group(1)) : MOST;
            int last = first == MOST || range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last >= MOST || last < first) {
                throw new IllegalArgumentException("'" + part + "' is not a processor's number or a range such as 0-3");
            }
            for (int cpu = first; cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return new CpuList(cpus);
    }

    public boolean containsAll(CpuList others) {
        return cpus.containsAll(others.cpus);
    }

    public int size() {
        return cpus.size();
    }

    /** In the kernel's format, with neighbours as ranges. */
    @JsonValue
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        Iterator<Integer> remaining = cpus.iterator();
        int first = remaining.next();
        int last = first;
        while (true) {
            boolean more = remaining.hasNext();
            int next = more ? remaining.next() : -1;
            if (more && next == last + 1) {
                last = next;
                continue;
            }
            text.append(text.isEmpty() ? "" : ",").append(first == last ? "" + first : first + "-" + last);
            if (!more) {
                return text.toString();
            }
            first = last = next;
        }
    }
}
