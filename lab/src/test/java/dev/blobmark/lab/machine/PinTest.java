package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PinTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client=1,server=0       | client=1,server=0",
                "server=0,client=1       | client=1,server=0",
                "client=2-3              | client=2-3",
                "server=0+2+3,client=1+0 | client=0-1,server=0+2-3"
            })
    void isReadFromTheCommandLine(String text, String canonical) {
        assertThat(Pin.parse(text)).hasToString(canonical);
        assertThat(Pin.parse(canonical)).isEqualTo(Pin.parse(text));
    }

    @Test
    void whatIsNotPinnedHasNoPrefix() {
        Pin pin = Pin.parse("server=0+2-3");
        assertThat(pin.client()).isEmpty();
        assertThat(pin.clientPrefix()).isEmpty();
        assertThat(pin.serverPrefix()).containsExactly("taskset", "-c", "0,2-3");
        assertThat(Pin.NONE).hasToString("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1                 | '1' pins neither client nor server",
                "clint=1           | 'clint=1' pins neither client nor server",
                "client=1,2        | '2' pins neither client nor server",
                "client=           | '' is not a processor's number or a range such as 0-3",
                "client=x          | 'x' is not a processor's number or a range such as 0-3",
                "client=1,client=2 | the client is pinned twice"
            })
    void whatCannotBeReadIsNamedWithTheForm(String text, String problem) {
        assertThatThrownBy(() -> Pin.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(problem + "; write client=1,server=0, with 0-3 or 0+2 for several processors, or none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 1       | 1 | client=1,server=0",
                "0 1       | 2 | none",
                "0         | 1 | none",
                "0-1       | 1 | none",
                "0,2 1,3   | 2 | client=1+3,server=0+2",
                "0 1 2     | 1 | client=2,server=0-1",
                "0,4 1,5 2,6 3,7 | 4 | client=2-3+6-7,server=0-1+4-5",
                "0,4 1,5 2,6 3,7 | 5 | none"
            })
    void clientAndServerGetHalfOfTheCoresEach(String cores, int threads, String pin) {
        assertThat(Pin.apart(Stream.of(cores.split(" ")).map(CpuList::parse).toList(), threads))
                .isEqualTo(Pin.parse(pin));
    }

    @Test
    void processorsOfOneCoreStayTogether(@TempDir Path root) throws IOException {
        Trees.write(root, "proc/self/status", "Cpus_allowed_list:\t1-3\n");
        for (int cpu = 0; cpu < 4; cpu++) {
            String siblings = cpu % 2 + "," + (cpu % 2 + 2);
            Trees.write(root, "sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list", siblings + "\n");
        }
        assertThat(Processors.cores(new SystemTree(root))).containsExactly(CpuList.of(1, 3), CpuList.of(2));
        Files.delete(root.resolve("sys/devices/system/cpu/cpu1/topology/thread_siblings_list"));
        assertThat(Processors.cores(new SystemTree(root))).hasSize(3);
    }

    private static CpuList here() {
        Optional<CpuList> allowed = SystemTree.HERE.allowed("self");
        assumeTrue(allowed.isPresent(), "only Linux tells what processors a process may use");
        try {
            ThisThread.run(List.of("taskset", "--version"));
        } catch (MachineException e) {
            assumeTrue(false, e.getMessage());
        }
        return allowed.get();
    }

    @Test
    void aProcessorOfThisMachineCanBePinnedTo() {
        int last = here().cpus().last();
        assertThatCode(() -> Pin.parse("client=" + last + ",server=" + last).check())
                .doesNotThrowAnyException();
    }

    @Test
    void aProcessorThatThisProcessMayNotUseIsRefusedWithThoseItMay() {
        CpuList allowed = here();
        assertThatThrownBy(() -> Pin.parse("server=8191").check())
                .isInstanceOf(MachineException.class)
                .hasMessage("--pin server=8191: this process may only use the processors " + allowed
                        + "; choose from these, or allow more (docker run --cpuset-cpus, taskset)");
    }

    @Test
    void aSystemWithoutTheMeansIsNamed(@TempDir Path nothing) {
        assertThatThrownBy(() -> Pin.parse("client=0").check(new SystemTree(nothing)))
                .isInstanceOf(MachineException.class)
                .hasMessage("--pin client=0: pinning a process requires Linux; leave it out here");
    }

    @Test
    void aPlaceThatTheSystemDoesNotGrantIsAnError(@TempDir Path root) throws IOException {
        CpuList real = here();
        // the tree says that it may use a processor which there is not
        Trees.write(root, "proc/self/status", "Cpus_allowed_list:\t0-8191\n");
        assumeTrue(!real.cpus().contains(8191), "a machine with 8192 processors");
        assertThatThrownBy(() -> Pin.parse("client=8191").check(new SystemTree(root)))
                .isInstanceOf(MachineException.class)
                .hasMessageContaining("--pin client=8191: ")
                .hasMessageContaining("taskset");
    }

    @Test
    void aProcessIsWhereItsPrefixPutsItAndElsewhereIsAnError() throws Exception {
        CpuList allowed = here();
        assumeTrue(allowed.size() > 1, "a process cannot be elsewhere on one core");
        int first = allowed.cpus().first();
        int last = allowed.cpus().last();
        Pin pin = Pin.parse("client=" + first + ",server=" + last);
        List<String> command = new ArrayList<>(pin.clientPrefix());
        // an answer shows that the program itself runs, no longer taskset
        command.addAll(List.of("sh", "-c", "echo on; read line"));
        Process process = new ProcessBuilder(command).start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("on");
            pin.verifyClient(process.pid());
            assertThatThrownBy(() -> pin.verifyServer(process.pid()))
                    .isInstanceOf(MachineException.class)
                    .hasMessageStartingWith("the server, process " + process.pid() + ", was pinned to " + last
                            + " but may run on " + first + ": ");
        } finally {
            process.destroyForcibly();
        }
    }
}
