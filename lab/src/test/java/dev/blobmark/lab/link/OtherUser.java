package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes of another user, which only root can start. */
final class OtherUser {

    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c");

    /** Connects, sends a number of 8 bytes, and prints what it gets, as hexadecimal digits. */
    private static final String ASK =
            "exec 3<>/dev/tcp/$0/$1; printf '\\0\\0\\0\\0\\0\\0\\0\\1' >&3; head -c 1 <&3 2>/dev/null | od -An -tx1";

    /** The same, but ends without waiting. */
    private static final String SEND = "exec 3<>/dev/tcp/$0/$1; printf '\\0\\0\\0\\0\\0\\0\\0\\1' >&3";

    private OtherUser() {}

    /** Skips the test if this process may not start processes of others. */
    static OtherUser assumed() throws Exception {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)
                        && Files.isExecutable(Path.of("/usr/bin/setpriv")),
                "only root can start a process of another user, with setpriv");
        return new OtherUser();
    }

    /** Asks for a byte. Returns what came, as hexadecimal digits. */
    String ask(InetSocketAddress address, boolean isWaiting) throws Exception {
        List<String> command = new ArrayList<>(AS_NOBODY);
        command.addAll(List.of(
                isWaiting ? ASK : SEND, address.getAddress().getHostAddress(), Integer.toString(address.getPort())));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String got = new String(process.getInputStream().readAllBytes()).strip();
        assertThat(process.waitFor()).isIn(0, 141); // 141: the connection was closed before it wrote
        return got;
    }
}
