package dev.blobmark.codec;

/**
 * The levels of a codec, from fastest to strongest.
 *
 * @param lowest the lowest level
 * @param highest the highest level
 * @param standard the level used when none is given
 */
public record Levels(int lowest, int highest, int standard) {

    public Levels {
        if (lowest > highest) throw new IllegalArgumentException("levels " + lowest + " to " + highest + ": none");
        if (!contains(lowest, highest, standard)) {
            throw new IllegalArgumentException("default " + standard + " is no level of " + lowest + " to " + highest);
        }
    }

    /**
     * Whether the level exists. Zero does only where levels begin there; zlib and zstd would read it as "the default".
     */
    public boolean contains(int level) {
        return contains(lowest, highest, level);
    }

    private static boolean contains(int lowest, int highest, int level) {
        return lowest <= level && level <= highest && (level != 0 || lowest == 0);
    }

    /** Such as {@code 1 to 9, default 6}. */
    @Override
    public String toString() {
        String range = lowest < 0 ? lowest + " to -1 and 1 to " + highest : lowest + " to " + highest;
        return range + ", default " + standard;
    }
}
