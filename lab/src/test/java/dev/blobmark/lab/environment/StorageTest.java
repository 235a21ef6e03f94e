package dev.blobmark.lab.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.mysql.server.directory.ServerDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a user's servers in one that others may write to. */
class StorageTest {

    @TempDir
    private Path directory;

    private Path shared;
    private Path own;

    /** Found free, as the place for a server to be started. */
    @BeforeEach
    void look() throws IOException {
        shared = Files.createDirectory(directory.resolve("shared"));
        Files.setAttribute(shared, "unix:mode", 01777);
        own = ((Storage.StoragePlace.Available) new Storage.StorageDirectory(shared).place(directory, 0)).directory();
    }

    @Test
    void itIsMadeForItsOwnerAlone() throws Exception {
        ServerDirectory.create(own).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        ServerDirectory.create(own).close();
    }

    @Test
    void aLinkThatAppearedSinceIsNotFollowed() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createSymbolicLink(own, elsewhere);

        assertThatThrownBy(() -> ServerDirectory.create(own))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is a symbolic link");
        assertThat(elsewhere).isEmptyDirectory();
        assertThat(new Storage.StorageDirectory(shared).place(directory, 0))
                .asString()
                .contains("is a symbolic link; remove it");
    }

    @Test
    void aDirectoryThatOthersMayWriteToIsRefused() throws Exception {
        Files.createDirectory(own);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwx---"));

        assertThatThrownBy(() -> ServerDirectory.create(own))
                .hasMessageContaining("other users have permissions on it");
        assertThat(own).isEmptyDirectory();
    }

    @Test
    void aDirectoryOfSomebodyElsesIsRefused() throws Exception {
        Files.createDirectory(own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            Files.setAttribute(own, "unix:uid", 65534);
        } catch (IOException e) {
            assumeTrue(false, "only root can give a directory away: " + e);
        }

        assertThatThrownBy(() -> ServerDirectory.create(own)).hasMessageContaining("belongs to another user");
        assertThat(own).isEmptyDirectory();
    }

    @Test
    void aSharedDirectoryThatIsNotStickyIsRefused() throws Exception {
        Files.setAttribute(shared, "unix:mode", 0777);

        assertThat(new Storage.StorageDirectory(shared).place(directory, 0))
                .asString()
                .contains("chmod +t");
    }
}
