package dev.blobmark.cli;

import dev.blobmark.lab.engine.ForkWork;
import java.io.OutputStream;

/** Where a measuring JVM begins. Started by the lab, never by people. */
public final class ForkMain {

    private ForkMain() {}

    public static void main(String[] args) throws Exception {
        OutputStream out = System.out;
        // what a library prints must not end up among the samples
        System.setOut(System.err);
        ForkWork.run(System.in, out, () -> Runtime.getRuntime().halt(ExitCode.ERROR.code()));
        System.exit(ExitCode.DONE.code());
    }
}
