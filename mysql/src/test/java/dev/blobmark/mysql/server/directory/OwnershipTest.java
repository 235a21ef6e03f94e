package dev.blobmark.mysql.server.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.mysql.server.ServerException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnershipTest {

    @TempDir
    private Path parent;

    private static Path mode(Path path, int mode) throws IOException {
        return Files.setAttribute(path, "unix:mode", mode);
    }

    @Test
    void ownDirectoriesAreAcceptedAndMade() throws IOException {
        assertThat(Ownership.problem(parent)).isEmpty();
        assertThat(Ownership.problem(parent.resolve("none/below"))).isEmpty();
        assertThat(Trees.createPrivate(parent.resolve("a/b"))).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(ints = {0702, 0777, 01777})
    void aDirectoryThatOthersMayWriteIsRefused(int mode) throws IOException {
        Path open = mode(Files.createDirectory(parent.resolve("open")), mode);

        assertThat(Ownership.problem(open)).contains("other users may write to " + open);
        assertThatThrownBy(() -> Trees.createPrivate(open))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining(open.toString())
                .hasMessageContaining("XDG_CACHE_HOME");
    }

    /** With umask 002, each directory of a user may be written to by a group that only this user is in. */
    @Test
    void aGroupOfOthersMayNotWrite() throws IOException {
        Path open = mode(Files.createDirectory(parent.resolve("open")), 0770);
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another group");
        Files.setAttribute(open, "unix:gid", 54_321);
        assertThat(Ownership.problem(open)).contains("other users may write to " + open);
    }

    /** Its bits are the mask of an access control list, if there is one, and nobody needs them otherwise. */
    @Test
    void theGroupOfRootMayNotWrite() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to the group of root");
        Path open = mode(Files.createDirectory(parent.resolve("open")), 0775);
        Files.setAttribute(open, "unix:gid", 0);
        assertThat(Ownership.problem(open)).contains("other users may write to " + open);
        mode(open, 0755);
        assertThat(Ownership.problem(open)).isEmpty();
    }

    @Test
    void aStickyDirectoryAboveIsAcceptedIfWhatIsBelowIsOurs() throws IOException {
        Path open = mode(Files.createDirectory(parent.resolve("open")), 01777);
        Path own = mode(Files.createDirectory(open.resolve("own")), 0700);

        assertThat(Ownership.problem(own)).isEmpty();
        assertThat(Ownership.problem(open.resolve("none"))).isEmpty();
        mode(open, 0777);
        assertThat(Ownership.problem(own)).contains("other users may write to " + open);
        mode(open, 01777);
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Files.setOwner(own, own.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        assertThat(Ownership.problem(Files.createDirectories(own.resolve("tmp"))))
                .contains(own + " belongs to nobody");
        assertThatThrownBy(() -> Trees.createPrivate(own.resolve("none"))).hasMessageContaining("belongs to nobody");
        assertThat(own.resolve("none")).doesNotExist();
    }

    /** As in a container that is started for any number: there the JDK takes each user for root. */
    @Test
    void aUserWithoutAnEntryOwnsWhatIsHis() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can start a process of another user");
        Path classes = Path.of(Ownership.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path tests = Path.of(
                Look.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        assumeTrue(
                new ProcessBuilder("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "ls", tests + "/dev")
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0,
                "other users cannot read the classes");
        mode(parent, 0755);
        Path own = mode(Files.createDirectory(parent.resolve("own")), 0775);
        Files.setAttribute(own, "unix:uid", 54_321);
        Files.setAttribute(own, "unix:gid", 54_321);
        Path other = Files.createDirectory(parent.resolve("other"));
        Files.setAttribute(other, "unix:uid", 54_322);
        Process looked = new ProcessBuilder(
                        "setpriv",
                        "--reuid=54321",
                        "--regid=54321",
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classes + ":" + tests,
                        Look.class.getName(),
                        own.toString(),
                        other.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader out = looked.inputReader()) {
            assertThat(out.lines()).containsExactly("54321", "", other + " belongs to 54322");
        }
        assertThat(looked.waitFor()).isZero();
    }

    /** Prints its user, and how others may replace each of its arguments. */
    static final class Look {
        public static void main(String[] args) throws IOException {
            System.out.println(Ownership.user());
            for (String path : args) {
                System.out.println(Ownership.problem(Path.of(path)).orElse(""));
            }
        }
    }

    @Test
    void aLinkIsAsGoodAsItsTarget() throws IOException {
        Path open = mode(Files.createDirectory(parent.resolve("open")), 0777);
        Path below = Files.createDirectory(open.resolve("below"));
        Path toBelow = Files.createSymbolicLink(parent.resolve("to-below"), below);
        Path toLink = Files.createSymbolicLink(parent.resolve("to-link"), Path.of("to-below"));

        assertThat(Ownership.problem(toLink.resolve("file"))).contains("other users may write to " + open);
        mode(open, 0700);
        assertThat(Ownership.problem(toLink.resolve("file"))).isEmpty();
        Files.delete(toBelow);
        Files.createSymbolicLink(toBelow, toLink);
        assertThatThrownBy(() -> Ownership.problem(toLink)).isInstanceOf(IOException.class);
    }
}
