package dev.blobmark.lab.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JVMs of this machine that can measure. No program is started: a JAVA_HOME has its version in a file.
 *
 * @param places directories whose subdirectories may be JAVA_HOMEs
 */
record InstalledJvms(List<Path> places) {

    /** Where packages of Linux and macOS, SDKMAN and development environments install JVMs. */
    private static final List<String> SYSTEM =
            List.of("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines");

    private static final List<String> OF_USER = List.of(".sdkman/candidates/java", ".jdks");

    /** In the file {@code release}: {@code JAVA_VERSION="17.0.15"}. */
    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(\\d{1,4})[^\"]*\"");

    InstalledJvms {
        places = List.copyOf(places);
    }

    static InstalledJvms usual() {
        List<Path> places = new ArrayList<>(SYSTEM.stream().map(Path::of).toList());
        OF_USER.forEach(place -> places.add(Path.of(System.getProperty("user.home"), place)));
        return new InstalledJvms(places);
    }

    /**
     * The JAVA_HOME of each version from 17 on. Of the version that runs the lab, it is that JVM; of any other, the
     * first by name in the first place that has one.
     */
    SortedMap<Integer, Path> byVersion() {
        SortedMap<Integer, Path> found = new TreeMap<>();
        found.put(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
        for (Path place : places) {
            for (Path home : homes(place)) {
                version(home)
                        .filter(version -> version >= Jvm.MIN_VERSION)
                        .ifPresent(version -> found.putIfAbsent(version, home));
            }
        }
        return found;
    }

    private static List<Path> homes(Path place) {
        List<Path> homes = new ArrayList<>();
        if (Files.isDirectory(place)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(place)) {
                for (Path entry : entries) {
                    homes.add(entry);
                    homes.add(entry.resolve("Contents/Home")); // on macOS
                }
            } catch (IOException e) {
                throw new UncheckedIOException("the JVMs in " + place + " cannot be listed: " + e.getMessage(), e);
            }
        }
        Collections.sort(homes);
        return homes;
    }

    /** Empty if it is not a JAVA_HOME. */
    private static Optional<Integer> version(Path home) {
        try {
            return Files.isExecutable(home.resolve("bin/java"))
                    ? Optional.of(VERSION.matcher(Files.readString(home.resolve("release"), StandardCharsets.UTF_8)))
                            .filter(Matcher::find)
                            .map(found -> Integer.valueOf(found.group(1)))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // a directory without such a file, or one that is not text
        }
    }
}
