package dev.blobmark.cli.violations.cli.shards;

/** A shard that knows a command. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.cli.Allowed.look();
    }
}
