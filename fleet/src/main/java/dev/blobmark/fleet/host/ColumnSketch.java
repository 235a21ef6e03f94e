package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;

/**
 * What is known of the values of a column: totals by size class, and of each class the distinct values with the
 * smallest hashes, with the number of rows that have them. Sketches of parts of a column are merged; in whatever order
 * and in how many parts, the result is the same to the last byte. Totals are exact. That a value is among those with
 * the smallest hashes does not depend on the value, so that they are a random sample of the distinct ones, which a
 * rerun finds again; the largest of the hashes shows how many distinct values there are (Bar-Yossef and others,
 * "Counting distinct elements in a data stream", 2002).
 */
public final class ColumnSketch implements Serializable {

    private static final long serialVersionUID = 1;

    /** As of Blobmark's size classes: up to 1 KB, 4 KB, 16 KB and so on. */
    public static final int CLASSES = 8;

    private static final int LEAST_VALUES = 3;

    private static final long SEED = 42;

    private static final Comparator<Long> UNSIGNED = (Comparator<Long> & Serializable) Long::compareUnsigned;

    /** 2 to the power of 64. */
    private static final double HASHES = 0x1p64;

    /** A distinct value. */
    public record SketchedValue(byte[] bytes, long rows) implements Serializable {}

    /** The values of one size class. */
    public static final class SizeSketch implements Serializable {

        private static final long serialVersionUID = 1;

        private long rows;
        private long bytes;
        private long longest;
        private long sampledBytes;

        /** By hash, as an unsigned number. */
        private final TreeMap<Long, SketchedValue> sample = new TreeMap<>(UNSIGNED);

        /**
         * The smallest hash that is known not to be in the sample, which has all values before it; null if it has all.
         */
        private Long end;

        public long rows() {
            return rows;
        }

        public long bytes() {
            return bytes;
        }

        public long longest() {
            return longest;
        }

        /** In the order of their hashes. */
        public List<SketchedValue> sample() {
            return List.copyOf(sample.values());
        }

        /** Number of distinct values; an estimate unless all of them are in the sample. */
        public double distinct() {
            return end == null ? sample.size() : sample.size() / ((end >>> 1) * 2.0 + (end & 1)) * HASHES;
        }

        private boolean takes(long hash) {
            return end == null || Long.compareUnsigned(hash, end) < 0;
        }

        private void take(long hash, byte[] value, long times) {
            SketchedValue known = sample.get(hash);
            sample.put(hash, new SketchedValue(value, times + (known == null ? 0 : known.rows())));
            sampledBytes += value.length - (known == null ? 0 : known.bytes().length);
        }

        /** A value that more than enough precede in a part has as many before it in the whole. */
        private void trim(SampleSize size) {
            while (sample.size() > size.values() || sample.size() > LEAST_VALUES && sampledBytes > size.bytes()) {
                removeLast();
            }
        }

        private void removeLast() {
            Map.Entry<Long, SketchedValue> last = sample.pollLastEntry();
            sampledBytes -= last.getValue().bytes().length;
            end = last.getKey();
        }

        private void add(SizeSketch other, SampleSize size) {
            rows += other.rows;
            bytes += other.bytes;
            longest = Math.max(longest, other.longest);
            other.sample.forEach((hash, value) -> take(hash, value.bytes(), value.rows()));
            if (other.end != null && takes(other.end)) {
                end = other.end;
            }
            if (end != null) {
                sample.tailMap(end, true).clear();
            }
            sampledBytes = sample.values().stream()
                    .mapToLong(value -> value.bytes().length)
                    .sum();
            trim(size);
        }
    }

    private final SizeSketch[] classes = new SizeSketch[CLASSES];
    private long missing;
    private long unread;

    public ColumnSketch() {
        Arrays.setAll(classes, i -> new SizeSketch());
    }

    /** The number of a length's size class. */
    static int classOf(long length) {
        int binaryLog = Long.SIZE - 1 - Long.numberOfLeadingZeros(length | 1);
        return Math.min(Math.max(binaryLog - 8, 0) / 2, CLASSES - 1);
    }

    /** Rows without a value. */
    public long missing() {
        return missing;
    }

    /** Values that are too long to be read. They are counted, and not in the sample. */
    public long unread() {
        return unread;
    }

    public SizeSketch ofSize(int number) {
        return classes[number];
    }

    void addMissing() {
        missing++;
    }

    static long hash(byte[] value) {
        return XXH64.hashUnsafeBytes(value, Platform.BYTE_ARRAY_OFFSET, value.length, SEED);
    }

    /** Adds the value of a row. */
    void add(byte[] value, long hash, SampleSize size) {
        SizeSketch of = counted(value.length);
        if (of.takes(hash)) {
            of.take(hash, value, 1);
            of.trim(size);
        }
    }

    /** Adds a row whose value is too long to be read. */
    void addUnread(long length) {
        counted(length);
        unread++;
    }

    private SizeSketch counted(long length) {
        SizeSketch of = classes[classOf(length)];
        of.rows++;
        of.bytes += length;
        of.longest = Math.max(of.longest, length);
        return of;
    }

    /** Adds the values of another part of the column. */
    public ColumnSketch plus(ColumnSketch other, SampleSize size) {
        missing += other.missing;
        unread += other.unread;
        for (int i = 0; i < CLASSES; i++) {
            classes[i].add(other.classes[i], size);
        }
        return this;
    }

    public void write(DataOutput out) throws IOException {
        out.writeLong(missing);
        out.writeLong(unread);
        for (SizeSketch of : classes) {
            out.writeLong(of.rows);
            out.writeLong(of.bytes);
            out.writeLong(of.longest);
            out.writeBoolean(of.end != null);
            out.writeLong(of.end == null ? 0 : of.end);
            out.writeInt(of.sample.size());
            for (var entry : of.sample.entrySet()) {
                out.writeLong(entry.getKey());
                out.writeLong(entry.getValue().rows());
                out.writeInt(entry.getValue().bytes().length);
                out.write(entry.getValue().bytes());
            }
        }
    }

    public static ColumnSketch read(DataInput in) throws IOException {
        ColumnSketch sketch = new ColumnSketch();
        sketch.missing = in.readLong();
        sketch.unread = in.readLong();
        for (SizeSketch of : sketch.classes) {
            of.rows = in.readLong();
            of.bytes = in.readLong();
            of.longest = in.readLong();
            boolean hasEnd = in.readBoolean();
            long end = in.readLong();
            of.end = hasEnd ? end : null;
            for (int left = in.readInt(); left > 0; left--) {
                long hash = in.readLong();
                long rows = in.readLong();
                byte[] value = new byte[in.readInt()];
                in.readFully(value);
                of.take(hash, value, rows);
            }
        }
        return sketch;
    }
}
