package dev.blobmark.lab.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The InnoDB file of one table, on this machine. Its extent descriptors show which pages are in use: a file is up to 4
 * MiB larger, for future rows. Their format, from {@code fsp0fsp.h}, is the same on MySQL and MariaDB (seen on 9.7.4
 * and 11.4.5). They are neither compressed nor encrypted.
 *
 * @param file must not change meanwhile
 * @param pageBytes page size in the file; the block size if the table is compressed
 * @param extentPages pages per extent
 */
record Tablespace(Path file, int pageBytes, int extentPages) {

    /** FSP_SIZE: the number of pages. */
    private static final int PAGES_OFFSET = 38 + 8;

    private static final int DESCRIPTORS_OFFSET = 150;

    /** XDES_STATE: 0 if no page of the extent has ever been used. */
    private static final int STATE_OFFSET = 20;

    /** XDES_BITMAP: two bits per page, low bits first. The first of the two is set if the page is free. */
    private static final int BITMAP_OFFSET = 24;

    /**
     * The file of a table.
     *
     * @param serverPageBytes {@code innodb_page_size}
     * @param blockBytes block size of a compressed table; otherwise 0
     */
    static Tablespace of(Path file, int serverPageBytes, int blockBytes) {
        // 1 MiB of pages of up to 16 KB, or 64 larger pages; the number is the same for compressed blocks
        int extentPages = Math.max(64, (1 << 20) / serverPageBytes);
        return new Tablespace(file, blockBytes > 0 ? blockBytes : serverPageBytes, extentPages);
    }

    int extentBytes() {
        return extentPages * pageBytes;
    }

    /**
     * Bytes of the pages in use.
     *
     * @param hasHoles whether pages are compressed by hole punching; then only file system blocks that are not holes
     *     count
     */
    long usedBytes(boolean hasHoles) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            int blockBytes = hasHoles ? (int) Files.getFileStore(file).getBlockSize() : pageBytes;
            long pages = Integer.toUnsignedLong(page(channel, 0).getInt(PAGES_OFFSET));
            long used = 0;
            // a page of descriptors describes as many pages as it has bytes: itself, and those that follow
            for (long first = 0; first < pages; first += pageBytes) {
                ByteBuffer descriptors = page(channel, first);
                for (int i = 0; i < Math.min(pageBytes, pages - first); i++) {
                    if (isUsed(descriptors, i)) {
                        used += hasHoles ? heldBytes(page(channel, first + i), blockBytes) : pageBytes;
                    }
                }
            }
            return used;
        }
    }

    private boolean isUsed(ByteBuffer descriptors, int page) {
        int descriptor = DESCRIPTORS_OFFSET + page / extentPages * (BITMAP_OFFSET + extentPages / 4);
        int bit = page % extentPages * 2;
        return descriptors.getInt(descriptor + STATE_OFFSET) != 0
                && (descriptors.get(descriptor + BITMAP_OFFSET + bit / 8) >> bit % 8 & 1) == 0;
    }

    /**
     * Counts the blocks that are not all zeros. Holes read as zeros, and compression leaves no other block of zeros.
     */
    private static long heldBytes(ByteBuffer page, int blockBytes) {
        ByteBuffer zeros = ByteBuffer.allocate(blockBytes);
        long held = 0;
        for (int at = 0; at < page.capacity(); at += blockBytes) {
            held += page.slice(at, Math.min(blockBytes, page.capacity() - at)).mismatch(zeros) < 0 ? 0 : blockBytes;
        }
        return held;
    }

    private ByteBuffer page(FileChannel channel, long number) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(pageBytes);
        while (page.hasRemaining()) {
            if (channel.read(page, number * pageBytes + page.position()) < 0) {
                throw new EOFException(file.getFileName() + " ends before page " + number);
            }
        }
        return page.rewind();
    }
}
