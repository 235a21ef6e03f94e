package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.engine.Clock;
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
}
