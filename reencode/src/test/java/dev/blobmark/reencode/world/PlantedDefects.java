package dev.blobmark.reencode.world;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Runs worlds with production code from which a guard was taken out. */
public final class PlantedDefects {

    private static final Path SOURCES =
            Path.of(System.getProperty("basedir", "."), "src/main/java/dev/blobmark/reencode");

    private PlantedDefects() {}

    /**
     * The first seed that finds a defect.
     *
     * @param directory for the class that is compiled
     * @return −1 if none does
     * @throws IllegalStateException if the guard is not in the sources any more, or they cannot be compiled without it
     */
    static long firstSeed(Defect defect, Path directory, long most) throws IOException, ReflectiveOperationException {
        compile(defect, directory);
        List<URL> urls = new ArrayList<>();
        urls.add(directory.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader = new Preferring(urls.toArray(URL[]::new))) {
            return (long) loader.loadClass(Worlds.class.getName())
                    .getMethod("firstBroken", long.class, long.class)
                    .invoke(null, 0L, most);
        }
    }

    private static void compile(Defect defect, Path directory) throws IOException {
        String source = Files.readString(SOURCES.resolve(defect.file()));
        for (Defect.Change change : defect.changes()) {
            if (!source.contains(change.from())) {
                throw new IllegalStateException("the guard of '" + defect.name() + "' is not in " + defect.file()
                        + " any more: " + change.from());
            }
            source = source.replace(change.from(), change.to());
        }
        Path file = directory.resolve("src").resolve(defect.file());
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-d", directory.toString(), "-nowarn", "-proc:none", "-cp", System.getProperty("java.class.path"));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(file))
                    .call()) {
                throw new IllegalStateException("'" + defect.name() + "' does not compile");
            }
        }
    }

    /** Prefers the class with the defect, and has all classes that may refer to it. */
    private static final class Preferring extends URLClassLoader {

        Preferring(URL[] urls) {
            super(urls, PlantedDefects.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.blobmark.reencode.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : findClass(name);
            }
        }
    }

    /** @param arguments {@code --rare MOST}: how many seeds each of {@link Defect#RARE} may take */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        for (Defect defect : Defect.RARE) {
            Path directory = Files.createTempDirectory("defect");
            System.out.println("found by seed " + firstSeed(defect, directory, Long.parseLong(arguments[1])) + ": "
                    + defect.name());
        }
    }
}
