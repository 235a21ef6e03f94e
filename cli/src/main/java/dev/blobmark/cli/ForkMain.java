package dev.blobmark.cli;

import dev.blobmark.lab.fork.ForkWork;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.fork.Launch;
import java.io.OutputStream;
import java.util.List;

/** The main class of a measuring JVM. Only the lab starts it. */
public final class ForkMain {

    private static final long PARENT_PATIENCE_MILLIS = 60_000;

    private ForkMain() {}

    /** @param flags of the JVM */
    static Launch launch(List<String> flags) {
        return new JvmLaunch(ForkMain.class.getName(), flags);
    }

    public static void main(String[] args) throws Exception {
        OutputStream out = System.out;
        // what a library prints must not be mixed with the samples
        System.setOut(System.err);
        Runtime.getRuntime().addShutdownHook(new Thread(ForkMain::awaitParent, "await-parent"));
        ForkWork.run(System.in, out, () -> Runtime.getRuntime().halt(ExitCode.ERROR.code()));
        Runtime.getRuntime().halt(ExitCode.DONE.code());
    }

    /** Ctrl-C reaches this JVM too. It is ignored: the parent decides when measuring ends, and then ends this JVM. */
    private static void awaitParent() {
        try {
            Thread.sleep(PARENT_PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
