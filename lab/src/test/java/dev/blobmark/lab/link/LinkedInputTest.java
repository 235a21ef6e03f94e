package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkedInputTest {

    private static final int LEAST = 128 << 10;

    /** More than the buffer of {@code aws} grows to, and no multiple of it. */
    private static final byte[] SENT = new byte[(9 << 20) + 12_345];

    static {
        new SplittableRandom(1).nextBytes(SENT);
    }

    /** As a kernel gives it: in pieces of sizes that vary. */
    private static InputStream socket() {
        SplittableRandom random = new SplittableRandom(2);
        return new ByteArrayInputStream(SENT) {
            @Override
            public synchronized int read(byte[] bytes, int offset, int length) {
                return super.read(bytes, offset, Math.min(length, 1 + random.nextInt(LEAST)));
            }
        };
    }

    @ParameterizedTest
    @CsvSource({
        "aws, 0, 0", // no memory: the connection works, with what it began with
        "aws, 1000000, 917504", // 128 KB became 1 MB
        "aws, 9000000, 4063232", // and 4 MB, as long as the link asks for
        "any 5ms, 9000000, 4063232",
        "50mbit 1ms, 9000000, 0"
    })
    void takesMemoryWhenItIsUsedAndGivesItBack(String level, long memory, long taken) throws IOException {
        Link link = Link.parse(level);
        Room room = new Room(memory);
        ByteBuffer lanes = ByteBuffer.allocateDirect(Long.BYTES);
        lanes.putLong(0, 0);
        // all that comes has passed, so that the test takes no time; what a read takes ahead depends on the delay
        RateLimiter lane = new RateLimiter(lanes, 0, OptionalDouble.empty());
        LinkedInput in = new LinkedInput(socket(), lane, new RoundTrips(link), link, room, nanos -> {});
        assertThat(left(room)).isEqualTo(memory);

        assertThat(in.readNBytes(SENT.length)).isEqualTo(SENT);
        assertThat(in.read()).isEqualTo(-1);
        assertThat(memory - left(room)).isEqualTo(taken);

        in.close();
        in.close();
        assertThat(left(room)).isEqualTo(memory);
    }

    private static long left(Room room) {
        long left = 0;
        while (room.take(1 << 10)) {
            left += 1 << 10;
        }
        while (room.take(1)) {
            left++;
        }
        room.giveBack(left);
        return left;
    }
}
