package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.mysql.Clock;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Control;
import dev.blobmark.reencode.throttle.ControlSocket;
import dev.blobmark.reencode.throttle.Throttle;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands by a real socket and a real file. */
@Timeout(30)
class ControlTest {

    @TempDir
    Path directory;

    private final Throttle throttle = new Throttle(50, OptionalLong.empty(), Clock.SYSTEM, note -> {});

    private Control control(Path socket) throws IOException {
        return new Control(
                Optional.of(directory.resolve("pause")), Optional.of(socket), throttle, () -> "{\"rows\":7}");
    }

    /** A client that stays connected, as {@code nc -U} does. */
    private static final class Client implements AutoCloseable {
        private final SocketChannel channel;
        private final BufferedReader answers;

        Client(Path socket) throws IOException {
            channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
            answers = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        }

        String say(String line) throws IOException {
            channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
            return answers.readLine();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Test
    void commandsTakeEffectWhileItWorks() throws Exception {
        Path socket = directory.resolve("socket");
        try (Control control = control(socket);
                Client client = new Client(socket);
                Client other = new Client(socket)) {
            assertThat(client.say("status")).isEqualTo("{\"rows\":7}");
            assertThat(control.reasonToWait()).isEmpty();
            assertThat(client.say("pause")).isEqualTo("paused");
            assertThat(control.reasonToWait()).contains("by command; 'resume' continues");
            // a client that says nothing does not keep others out
            assertThat(other.say("resume")).isEqualTo("resumed");
            assertThat(control.reasonToWait()).isEmpty();
            assertThat(client.say("speed=25")).isEqualTo("speed=25");
            assertThat(throttle.speed()).isEqualTo(25);
            assertThat(client.say(" speed = 70 ")).isEqualTo("speed=70");
            assertThat(client.say("max-binlog-rate=10MB")).isEqualTo("max-binlog-rate=10485760");
            assertThat(throttle.binlogRate()).hasValue(10 << 20);
            assertThat(client.say("max-binlog-rate=0")).isEqualTo("max-binlog-rate=0");
            assertThat(throttle.binlogRate()).isEmpty();
            assertThat(client.say("stop")).isEqualTo("it ends after this transaction");
            assertThat(control.isStopped()).isTrue();
            assertThatThrownBy(control::reasonToWait).isInstanceOf(StoppedException.class);
        }
        assertThat(socket).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "speed=0 | not understood: speed is 0; it is 1 to 100 percent of the time",
                "speed=101 | not understood: speed is 101; it is 1 to 100 percent of the time",
                "speed=-5 | not understood: speed is '-5'; it is 1 to 100 percent of the time",
                "speed=fast | not understood: speed is 'fast'; it is 1 to 100 percent of the time",
                "speed | not understood: speed is ''; it is 1 to 100 percent of the time",
                "max-binlog-rate=lots | not understood: 'lots' is not an amount",
                "drop table | unknown command 'drop table'; help lists all",
                "STATUS | unknown command 'STATUS'; help lists all",
                "'' | unknown command ''; help lists all",
            })
    void wrongWordsChangeNothing(String line, String answer) throws Exception {
        try (Control control = control(directory.resolve("socket"))) {
            assertThat(control.answer(line)).startsWith(answer);
            assertThat(throttle.speed()).isEqualTo(50);
            assertThat(throttle.binlogRate()).isEmpty();
            assertThat(control.reasonToWait()).isEmpty();
        }
    }

    @Test
    void helpNamesEachCommand() throws Exception {
        try (Control control = control(directory.resolve("socket"))) {
            assertThat(control.answer("help").lines())
                    .anyMatch(line -> line.startsWith("status"))
                    .anyMatch(line -> line.startsWith("pause, resume"))
                    .anyMatch(line -> line.startsWith("speed="))
                    .anyMatch(line -> line.startsWith("max-binlog-rate="))
                    .anyMatch(line -> line.startsWith("stop"));
        }
    }

    @Test
    void theFilePausesWhileItExists() throws Exception {
        try (Control control = control(directory.resolve("socket"))) {
            assertThat(control.reasonToWait()).isEmpty();
            Path file = Files.createFile(directory.resolve("pause"));
            assertThat(control.reasonToWait()).contains("the file " + file + " exists");
            Files.delete(file);
            assertThat(control.reasonToWait()).isEmpty();
        }
    }

    @Test
    void onlyItsOwnerMayUseIt() throws Exception {
        Path socket = directory.resolve("socket");
        try (Control control = control(socket)) {
            assertThat(control.isStopped()).isFalse();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
        }
    }

    /** As a killed process leaves it: the file exists, and nobody listens. */
    @Test
    void theSocketOfAProcessThatEndedIsReplaced() throws Exception {
        Path socket = directory.resolve("socket");
        ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        left.bind(UnixDomainSocketAddress.of(socket));
        left.close();
        assertThat(socket).exists();
        try (Control control = control(socket);
                Client client = new Client(socket)) {
            assertThat(client.say("pause")).isEqualTo("paused");
            assertThat(control.reasonToWait()).isPresent();
        }
    }

    @Test
    void theSocketOfALiveProcessIsRefused() throws Exception {
        Path socket = directory.resolve("socket");
        try (Control first = control(socket)) {
            assertThatThrownBy(() -> control(socket))
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining("another process answers at this socket");
            try (Client client = new Client(socket)) {
                assertThat(client.say("pause")).isEqualTo("paused");
            }
            assertThat(first.reasonToWait()).isPresent();
        }
    }

    @Test
    void aFileThatIsNoSocketIsNotTouched() throws Exception {
        Path file = Files.writeString(directory.resolve("notes"), "mine");
        assertThatThrownBy(() -> control(file))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("it exists and is no socket");
        assertThat(file).hasContent("mine");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThatThrownBy(() -> control(link)).isInstanceOf(ReencodeException.class);
        assertThat(link).isSymbolicLink();
    }

    /** As long as the JDK allows, and one byte more. */
    @Test
    void aPathThatIsTooLongIsRefusedBeforeAnythingIsMade() throws Exception {
        String name =
                "s".repeat(ControlSocket.MAX_PATH_BYTES - directory.toString().length() - 1);
        Path longest = directory.resolve(name);
        try (Control control = control(longest);
                Client client = new Client(longest)) {
            assertThat(client.say("pause")).isEqualTo("paused");
            assertThat(control.reasonToWait()).isPresent();
        }
        Path longer = directory.resolve(name + "s");
        String reason = "the path has " + (ControlSocket.MAX_PATH_BYTES + 1)
                + " bytes, and that of a Unix socket may have " + ControlSocket.MAX_PATH_BYTES
                + ": name a shorter one, or one relative to the current directory";
        assertThat(ControlSocket.problem(longer)).contains(reason);
        assertThatThrownBy(() -> control(longer))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> with(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--socket " + longer + ": " + reason);
        assertThat(directory).isEmptyDirectory();
    }

    private static ReencodeOptions with(Path socket) {
        ReencodeOptions usual = ReencodeOptions.USUAL;
        return new ReencodeOptions(
                new Pace(
                        usual.pace().load(),
                        usual.pace().speed(),
                        usual.pace().binlogRate(),
                        usual.pace().replicas(),
                        usual.pace().maxLag(),
                        usual.pace().ignoresReplicas(),
                        usual.pace().maxProbe(),
                        usual.pace().transaction(),
                        usual.pace().pauseFile(),
                        Optional.of(socket)),
                usual.isCopy(),
                usual.keepsOriginals(),
                usual.writers(),
                usual.force());
    }

    @ParameterizedTest
    @CsvSource({"rwxrwx---", "rwx----w-", "rwxrwxrwx"})
    void aDirectoryThatOthersMayWriteIsRefused(String permissions) throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(permissions));
        assertThatThrownBy(() -> control(open.resolve("socket")))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("other users can replace a file in " + open.toRealPath());
        assertThat(open).isEmptyDirectory();
        assertThat(ControlSocket.problem(Path.of("/tmp/socket"))).isPresent(); // another's, or everybody may write it
        assertThat(ControlSocket.problem(directory.resolve("none/socket")).orElseThrow())
                .startsWith("its directory cannot be examined");
    }

    /** They could rename a directory of ours and put their own in its place. */
    @ParameterizedTest
    @CsvSource({"rwxrwx---", "rwx----w-", "rwxrwxrwx"})
    void aDirectoryBelowOneThatOthersMayWriteIsRefused(String permissions) throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Path own = Files.createDirectories(open.resolve("own/below"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), own);
        assertThat(ControlSocket.problem(own.resolve("socket"))).isEmpty();
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(permissions));
        if (permissions.charAt(5) == 'w') {
            assumeTrue(Files.getAttribute(open, "unix:uid").equals(0), "only root can give a file to another group");
            Files.setAttribute(open, "unix:gid", 54_321);
        }

        for (Path place : List.of(own, link)) {
            assertThat(ControlSocket.problem(place.resolve("socket")).orElseThrow())
                    .startsWith("other users may write to " + open);
            assertThatThrownBy(() -> control(place.resolve("socket"))).isInstanceOf(ReencodeException.class);
        }
        assertThat(own).isEmptyDirectory();
    }

    /** Even if the file lets everybody connect, as it may for a moment when it is made. */
    @Test
    void commandsOfOtherUsersAreClosedUnread() throws Exception {
        assumeTrue(
                Files.getAttribute(directory, "unix:uid").equals(0)
                        && Files.isExecutable(Path.of("/usr/bin/setpriv"))
                        && Files.isExecutable(Path.of("/usr/bin/python3")),
                "only root can start a process of another user, with setpriv and python3");
        Path parent = Files.createTempDirectory("blobmark-control-");
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path socket = parent.resolve("socket");
        try (Control control = control(socket)) {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            assertThat(asNobody(socket)).isEqualTo("closed");
            assertThat(control.isStopped()).isFalse();
            try (Client client = new Client(socket)) {
                assertThat(client.say("pause")).isEqualTo("paused");
            }
        } finally {
            Files.delete(parent);
        }
    }

    private static String asNobody(Path socket) throws Exception {
        String stop = "import socket, sys\n"
                + "s = socket.socket(socket.AF_UNIX)\n"
                + "s.connect(sys.argv[1])\n"
                + "try:\n"
                + "    s.sendall(b'stop\\n')\n"
                + "    print('answered' if s.recv(1) else 'closed')\n"
                + "except OSError:\n"
                + "    print('closed')\n";
        Process process = new ProcessBuilder(
                        "setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        "/usr/bin/python3",
                        "-c",
                        stop,
                        socket.toString())
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes()).strip();
    }

    @Test
    void anEndlessLineAndTooManyClientsAreClosed() throws Exception {
        Path socket = directory.resolve("socket");
        List<Client> clients = new ArrayList<>();
        try (Control control = control(socket)) {
            try (Client endless = new Client(socket)) {
                assertThat(endless.say("x".repeat(ControlSocket.MAX_LINE_BYTES)))
                        .startsWith("unknown command");
                assertThatThrownBy(() -> {
                            String answer = endless.say("x".repeat(ControlSocket.MAX_LINE_BYTES + 1));
                            throw new IOException("answered: " + answer);
                        })
                        .isInstanceOf(IOException.class)
                        .satisfiesAnyOf(
                                e -> assertThat(e).hasMessage("answered: null"),
                                e -> assertThat(e).hasMessageContaining("reset"),
                                e -> assertThat(e).hasMessageContaining("pipe"));
            }
            for (int i = 0; i < ControlSocket.MAX_CLIENTS; i++) {
                clients.add(new Client(socket));
                assertThat(clients.get(i).say("resume")).isEqualTo("resumed");
            }
            try (Client tooMany = new Client(socket)) {
                assertThat(tooMany.answers.read()).isEqualTo(-1);
            }
            assertThat(clients.get(0).say("speed=30")).isEqualTo("speed=30");
            assertThat(control.reasonToWait()).isEmpty();
        } finally {
            for (Client client : clients) {
                client.close();
            }
        }
    }
}
