package dev.blobmark.cli.violations.cli;

/** What only the cli may do. */
public class Allowed {

    public static void look() {
        System.out.println(System.getenv("HOME"));
        System.exit(0);
    }
}
