package dev.blobmark.lab.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.ServerException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can be said of a cluster without starting one. */
class NdbClusterTest {

    private static final long GIB = 1L << 30;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        // GiB of memory, cores, GiB of disk, MiB for data, threads, files of a part of the redo log
        "  4,  2, 100,  256, 2, 16",
        "  8,  4, 100,  512, 2, 16",
        " 24,  2, 100, 1024, 2, 16",
        "256, 64, 500, 1024, 8, 16",
        " 24,  8,  16, 1024, 4,  8",
        " 24,  8,   1, 1024, 4,  4",
    })
    void dataNodesAreSizedToTheMachine(int memory, int cores, int disk, int data, int threads, int files) {
        DataNodeSize size = DataNodeSize.of(memory * GIB, cores, disk * GIB);

        assertThat(size).isEqualTo(new DataNodeSize((long) data << 20, threads, files));
        assertThat(size.residentBytes()).isLessThan(memory * GIB * 3 / 4);
    }

    @Test
    void aMachineThatIsTooSmallIsRefused() {
        assertThatThrownBy(() -> DataNodeSize.of(2 * GIB, 2, 100 * GIB))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("two data nodes need at least 2.2 GB of memory, and this machine has 2.1 GB");
    }

    @Test
    void whatAnInstallationLacksIsNamed() throws Exception {
        assertThatThrownBy(() -> NdbPrograms.at(directory))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("there is no bin/ndb_mgmd in " + directory)
                .hasMessageContaining("bin/ndb_mgmd, bin/ndbmtd and bin/mysqld");
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Files.createFile(bin.resolve("ndb_mgmd")).toFile().setExecutable(true);

        assertThatThrownBy(() -> NdbPrograms.at(directory)).hasMessageContaining("there is no bin/ndbmtd in ");
    }
}
