package dev.blobmark.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: Blobmark's version from the build, then the JVM and the platform that run it. */
final class Version implements IVersionProvider {

    /** Blobmark's own version. */
    static String ofBuild() throws IOException {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
            build.load(in);
        }
        return build.getProperty("version");
    }

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "blobmark " + ofBuild(),
            "JVM: ${java.vm.name} ${java.vm.version} (${java.vendor})",
            "OS: ${os.name} ${os.version} ${os.arch}"
        };
    }
}
