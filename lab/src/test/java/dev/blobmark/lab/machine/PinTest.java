package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
                "client=           | '' is neither a processor's number nor a range of them, such as 0-3",
                "client=x          | 'x' is neither a processor's number nor a range of them, such as 0-3",
                "client=1,client=2 | the client is pinned twice"
            })
    void whatCannotBeReadIsNamedWithTheForm(String text, String problem) {
        assertThatThrownBy(() -> Pin.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(problem + "; write client=1,server=0, with 0-3 or 0+2 for several processors");
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
                        + "; name some of these, or allow it more (docker run --cpuset-cpus, taskset)");
    }

    @Test
    void aSystemWithoutTheMeansIsNamed(@TempDir Path nothing) {
        assertThatThrownBy(() -> Pin.parse("client=0").check(new SystemTree(nothing)))
                .isInstanceOf(MachineException.class)
                .hasMessage("--pin client=0: only Linux lets a process be pinned from outside; leave it out here");
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
