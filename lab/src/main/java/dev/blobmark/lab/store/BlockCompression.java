package dev.blobmark.lab.store;

/**
 * How often InnoDB compressed B-tree pages into blocks of one size, from {@code information_schema.INNODB_CMP}. Values
 * on overflow pages are compressed too, but not counted there.
 *
 * @param blockBytes size of a compressed block, in bytes
 * @param operations number of compressions of a page
 * @param ok compressions whose result fitted into the block; after any other, the page is split or its padding changed
 * @param seconds spent on compression; the server rounds down to whole seconds
 */
public record BlockCompression(int blockBytes, long operations, long ok, long seconds) {

    public BlockCompression {
        if (blockBytes <= 0 || ok < 0 || operations < ok || seconds < 0) {
            throw new IllegalArgumentException(operations + " compressions, " + ok + " of them ok, in " + seconds
                    + " s into blocks of " + blockBytes + " bytes");
        }
    }

    /** The compressions since an earlier count of the same server. */
    public BlockCompression since(BlockCompression before) {
        return new BlockCompression(
                blockBytes, operations - before.operations, ok - before.ok, seconds - before.seconds);
    }
}
