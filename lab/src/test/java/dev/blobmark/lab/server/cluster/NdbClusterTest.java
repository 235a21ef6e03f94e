package dev.blobmark.lab.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.server.ServerException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
        // GiB of memory, cores, GiB of disk, MiB for data, MiB of send buffers, threads, files of a part of the redo
        // log
        "  4,  2, 100,  256,  32, 2, 16",
        "  8,  4, 100,  512,  64, 2, 16",
        " 24,  2, 100, 1024, 128, 2, 16",
        "256, 64, 500, 1024, 128, 8, 16",
        " 24,  8,  16, 1024, 128, 4,  8",
        " 24,  8,   1, 1024, 128, 4,  4",
    })
    void dataNodesAreSizedToTheMachine(int memory, int cores, int disk, long data, long send, int threads, int files) {
        DataNodeSize size = DataNodeSize.of(memory * GIB, cores, disk * GIB, DataNodeParameters.NONE);

        assertThat(size.parameters())
                .containsEntry("DataMemory", "" + (data << 20))
                .containsEntry("TotalSendBufferMemory", "" + (send << 20))
                .containsEntry("MaxNoOfExecutionThreads", "" + threads)
                .containsEntry("NoOfFragmentLogFiles", "" + files);
        assertThat(size)
                .hasToString(
                        "each with %d MiB for data, %d MiB of send buffers, %d threads and a redo log of %d MiB; about %.1f GB of memory in all"
                                .formatted(data, send, threads, 256 * files, size.residentBytes() / 1e9));
        assertThat(size.residentBytes())
                .isEqualTo(2 * (data + send + 784 << 20))
                .isLessThan(memory * GIB * 3 / 4);
    }

    @Test
    void aMachineThatIsTooSmallIsRefused() {
        assertThatThrownBy(() -> DataNodeSize.of(2 * GIB, 2, 100 * GIB, DataNodeParameters.NONE))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("two data nodes need at least 2.2 GB of memory, and this machine has 2.1 GB")
                .hasMessageEndingWith("name an SQL node of a running cluster.");
    }

    private DataNodeParameters read(String... lines) throws Exception {
        return DataNodeParameters.read(Files.write(directory.resolve("nodes.ini"), List.of(lines)));
    }

    @Test
    void parametersOfAFileReplaceThoseOfTheMachine() throws Exception {
        DataNodeParameters given = read(
                "# as published",
                "[NDBD DEFAULT]",
                "",
                "totalsendbuffermemory = 256M",
                "NumCPUs=4",
                "TimeBetweenLocalCheckpoints=21");
        DataNodeSize size = DataNodeSize.of(24 * GIB, 8, 100 * GIB, given);

        assertThat(size.configuration())
                .contains("DataMemory=1073741824", "NumCPUs=4", "TimeBetweenLocalCheckpoints=21")
                .endsWith(
                        "[mysqld default]", "TotalSendBufferMemory=33554432", "[tcp default]", "SendBufferMemory=256M")
                .filteredOn(line -> line.matches("(?i)(TotalSendBufferMemory|MaxNoOfExecutionThreads)=.*"))
                .hasSize(2)
                .first()
                .asString()
                .endsWith("=256M");
        assertThat(size.residentBytes()).isEqualTo(2 * (1024L + 256 + 784 << 20));
        assertThat(size).asString().contains("256 MiB of send buffers, and a redo log");
    }

    @Test
    void aFileThatWouldTakeTooMuchMemoryIsRefused() throws Exception {
        DataNodeParameters given = read("DataMemory=10G");

        assertThatThrownBy(() -> DataNodeSize.of(24 * GIB, 8, 100 * GIB, given))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("two data nodes need at least 23.4 GB of memory")
                .hasMessageEndingWith(", or lower the values in " + directory.resolve("nodes.ini") + ".");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "NoOfReplicas=1                | NoOfReplicas is set by Blobmark",
                "datadir=/tmp                  | datadir is set by Blobmark",
                "FileSystemPathDD=/tmp         | FileSystemPathDD is set by Blobmark",
                "InitialTablespace=name=a      | InitialTablespace is set by Blobmark",
                "[tcp default]                 | '[tcp default]' is not a parameter; write NAME=VALUE",
                "DataMemory                    | 'DataMemory' is not a parameter",
                "RedoBuffer=                   | 'RedoBuffer=' is not a parameter",
                "timebetweenepochs=2           | timebetweenepochs is given twice; remove one",
            })
    void whatAFileMayNotHaveIsNamedWithItsLine(String line, String problem) {
        assertThatThrownBy(() -> read("TimeBetweenEpochs=1", line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(directory.resolve("nodes.ini") + ", line 2: " + problem);
    }

    @Test
    void aFileThatCannotBeReadIsNamed() throws Exception {
        assertThatThrownBy(() -> DataNodeParameters.read(directory.resolve("none.ini")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.ini cannot be read (java.nio.file.NoSuchFileException");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff});
        assertThatThrownBy(() -> DataNodeParameters.read(binary)).hasMessageContaining("is not a text in UTF-8");
    }

    @ParameterizedTest
    @CsvSource({"128M, 134217728", "1G, 1073741824", "64k, 65536", "true, 1", "No, 0", "main={count=1}, 'main,rep'"})
    void whatAClusterReportsMayHaveAnotherForm(String given, String reported) throws Exception {
        DataNodeParameters parameters = read("Name=" + given);

        assertThatCode(() -> parameters.require(effective("name", reported))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"128M, 16777216", "Y, 0", "3, '3, 4'", "3, main"})
    void anotherValueThanWasGivenIsFound(String given, String reported) throws Exception {
        DataNodeParameters parameters = read("Name=" + given);

        assertThatThrownBy(() -> parameters.require(effective("Name", reported)))
                .isInstanceOf(ServerException.class)
                .hasMessage("the data nodes' Name is " + reported + ", but " + given + " in "
                        + directory.resolve("nodes.ini")
                        + "; give a value that the cluster accepts, or remove the line.");
        assertThatThrownBy(() -> parameters.require(effective("Other", given)))
                .hasMessageStartingWith("the data nodes' Name is not reported by the cluster, but " + given);
    }

    private static SortedMap<String, String> effective(String name, String value) {
        SortedMap<String, String> effective = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        effective.put(name, value);
        return effective;
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
