package dev.blobmark.lab.study;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One entry of a study's {@code conditions}: every combination of the levels that it lists.
 *
 * @param levels canonical levels by factor, at least one each
 * @param methods ids of the methods that take part, including the baseline; empty for all methods of the study
 * @param charts names of the charts that need these conditions; {@code --chart} measures one of them alone
 */
public record ConditionBlock(SortedMap<String, List<String>> levels, List<String> methods, List<String> charts) {

    static final String CHART_FORM = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";

    public ConditionBlock {
        charts = List.copyOf(charts);
        methods = List.copyOf(methods);
        TreeMap<String, List<String>> copy = new TreeMap<>();
        levels.forEach((factor, list) -> {
            if (list.isEmpty()) {
                throw new IllegalArgumentException("factor '" + factor + "' has no level");
            }
            copy.put(factor, List.copyOf(list));
        });
        levels = Collections.unmodifiableSortedMap(copy);
    }

    /** A block that all methods take part in. */
    public ConditionBlock(SortedMap<String, List<String>> levels) {
        this(levels, List.of(), List.of());
    }

    /** The same with other levels. */
    ConditionBlock with(SortedMap<String, List<String>> others) {
        return new ConditionBlock(others, methods, charts);
    }

    /** The same for other methods. */
    ConditionBlock with(List<String> ids) {
        return new ConditionBlock(levels, ids, charts);
    }

    /** The methods that take part, out of all methods of the study. */
    public List<Method> of(List<Method> all) {
        return methods.isEmpty()
                ? all
                : all.stream()
                        .filter(method -> Control.is(method) || methods.contains(method.id()))
                        .toList();
    }

    /** Every combination; the last factor changes fastest. */
    public List<Levels> expand() {
        List<Levels> all = List.of(new Levels(new TreeMap<>()));
        for (var factor : levels.entrySet()) {
            List<Levels> longer = new ArrayList<>();
            for (Levels some : all) {
                for (String level : factor.getValue()) {
                    longer.add(some.with(factor.getKey(), level));
                }
            }
            all = longer;
        }
        return all;
    }
}
