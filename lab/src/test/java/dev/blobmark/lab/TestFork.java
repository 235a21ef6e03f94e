package dev.blobmark.lab;

import dev.blobmark.lab.engine.ForkWork;
import java.io.PrintStream;

/** A measuring JVM that works, or one that goes wrong in the manner that the property {@code manner} says. */
public final class TestFork {

    private TestFork() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        String manner = System.getProperty("manner", "work");
        if (!manner.equals("work")) {
            while (System.in.read() != '\n') {
                // takes its plan
            }
        }
        switch (manner) {
            case "halt" -> {
                System.err.println("about to halt");
                Runtime.getRuntime().halt(3);
            }
            case "mute" -> Runtime.getRuntime().halt(3);
            case "silent" -> {
                System.err.println("about to be silent");
                while (System.in.read() >= 0) {
                    // nothing until the parent ends it
                }
            }
            case "chatter" -> out.println("What is this?");
            case "torn" -> out.print("{\"message\":\"started\",");
            case "verbose" -> {
                for (int i = 1; i <= 100; i++) {
                    System.err.println("line " + i);
                }
                Runtime.getRuntime().halt(3);
            }
            default -> {
                System.setOut(System.err);
                ForkWork.run(System.in, out, () -> Runtime.getRuntime().halt(1));
                System.exit(0);
            }
        }
    }
}
