package dev.blobmark.lab.store;

/**
 * How often InnoDB compressed the pages of B-trees into blocks of one size, from {@code information_schema.INNODB_CMP}.
 * Values that lie on pages of their own are compressed too, but not counted there.
 *
 * @param blockBytes size of a compressed block, in bytes
 * @param operations times that a page was compressed
 * @param ok those after which it fitted its block; the others split the page, or changed what it keeps free
 * @param seconds spent on it, in whole ones: the server's figure is rounded down
 */
public record BlockCompression(int blockBytes, long operations, long ok, long seconds) {

    public BlockCompression {
        if (blockBytes <= 0 || ok < 0 || operations < ok || seconds < 0) {
            throw new IllegalArgumentException(operations + " compressions, " + ok + " of them ok, in " + seconds
                    + " s into blocks of " + blockBytes + " bytes");
        }
    }

    /** What has been done since an earlier count of the same server's. */
    public BlockCompression since(BlockCompression before) {
        return new BlockCompression(
                blockBytes, operations - before.operations, ok - before.ok, seconds - before.seconds);
    }
}
