package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ListeningTest {

    private static final long SELF = ProcessHandle.current().pid();

    @TempDir
    private Path proc;

    private static ServerSocket listen(String address) throws Exception {
        return new ServerSocket(0, 1, InetAddress.getByName(address));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPortIsOfTheProcessThatListensThereAndOfNoOther() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        try (ServerSocket socket = listen("127.0.0.1")) {
            int port = socket.getLocalPort();
            assertThat(Listening.of(SELF, port)).isEqualTo(Listening.YES);
            assertThat(Listening.of(other.pid(), port)).as("a foreign process").isEqualTo(Listening.NO);
            other.destroyForcibly().waitFor();
            assertThat(Listening.of(other.pid(), port)).as("one that has ended").isEqualTo(Listening.NO);
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPortThatNobodyListensAtIsNobodys() throws Exception {
        int port;
        try (ServerSocket socket = listen("127.0.0.1")) {
            port = socket.getLocalPort();
        }
        assertThat(Listening.of(SELF, port)).isEqualTo(Listening.NO);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anEndedProcessListensNowhere() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        try (ServerSocket socket = listen("127.0.0.1")) {
            assertThat(Listening.of(ended.pid(), socket.getLocalPort())).isEqualTo(Listening.NO);
        }
    }

    /** Private servers listen on 127.0.0.1 alone, so that another address is another's. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void otherAddressesDoNotCount() throws Exception {
        try (ServerSocket socket = listen("127.0.0.2")) {
            assertThat(Listening.of(SELF, socket.getLocalPort())).isEqualTo(Listening.NO);
        }
    }

    @Test
    void whereTheSystemHidesItNothingIsKnown() {
        assertThat(Listening.of(proc, SELF, 3306)).isEqualTo(Listening.UNKNOWN);
    }

    /** With two sockets at a port (SO_REUSEPORT) a connection may get to either. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void everySocketOfThePortMustBeTheProcesss() throws Exception {
        Files.createDirectories(proc.resolve("self/net"));
        Path descriptors = Files.createDirectories(proc.resolve("42/fd"));
        Files.createSymbolicLink(descriptors.resolve("3"), Path.of("socket:[1001]"));
        Files.createSymbolicLink(descriptors.resolve("4"), Path.of("pipe:[1004]"));
        String one =
                "   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1001 1";
        String two =
                "   1: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1002 1";
        String connected =
                "   2: 0100007F:0CEA 0100007F:0001 01 00000000:00000000 00:00000000 00000000  1001        0 1003 1";
        Files.write(proc.resolve("self/net/tcp"), List.of("  sl  local_address rem_address   st", one, connected));
        assertThat(Listening.of(proc, 42, 0x0CEA)).isEqualTo(Listening.YES);
        Files.write(proc.resolve("self/net/tcp"), List.of("  sl  local_address rem_address   st", one, two));
        assertThat(Listening.of(proc, 42, 0x0CEA)).isEqualTo(Listening.NO);
    }
}
