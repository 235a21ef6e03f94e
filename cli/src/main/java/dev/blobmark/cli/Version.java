package dev.blobmark.cli;

import dev.blobmark.lab.run.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/**
 * What {@code --version} prints: version and commit, the JDK of the build, then the JVM and the platform that run it.
 */
final class Version implements IVersionProvider {

    private static final Properties BUILD = build();

    private static Properties build() {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build;
    }

    /** Blobmark's version, such as {@code 0.1.0}. */
    static String number() {
        return BUILD.getProperty("version");
    }

    /** This program, called with some command lines. */
    static Program program(List<String> commands) {
        return new Program(number(), commit(), commands);
    }

    /**
     * The commit of the launcher's checkout. The launcher keeps a build until a source changes, so it may know a later
     * commit than the build. Otherwise the commit of the build.
     */
    private static String commit() {
        String ofBuild =
                BUILD.getProperty("commit") + (BUILD.getProperty("dirty").equals("true") ? "-dirty" : "");
        return Variables.checkout().orElse(ofBuild);
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "blobmark " + program(List.of()).name(),
            "Built with JDK " + BUILD.getProperty("jdk"),
            "JVM: ${java.vm.name} ${java.vm.version} (${java.vendor})",
            "OS: ${os.name} ${os.version} ${os.arch}"
        };
    }
}
