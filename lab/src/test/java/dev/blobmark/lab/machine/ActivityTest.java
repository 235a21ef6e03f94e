package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Load and steal, from the counters at two moments; 100 ticks are a second of a core. */
class ActivityTest {

    private static final long SELF = 500;

    @TempDir
    private Path root;

    private Process spinning;

    /** A second of two cores, with so many ticks in each column of /proc/stat. */
    private void ticks(int user, int idle, int steal) throws IOException {
        Trees.write(
                root,
                "proc/stat",
                "cpu  " + user + " 0 0 " + idle + " 0 0 0 " + steal
                        + " 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0" + " 0 0 0\nintr 1\n");
    }

    private void process(long pid, String name, long parent, long ticks, long started) throws IOException {
        String fields = "S " + parent + " 0 0 0 0 0 0 0 0 0 " + ticks / 2 + " " + (ticks - ticks / 2) + " 0 0 20 0 1 0 "
                + started + " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0";
        Trees.write(root, "proc/" + pid + "/stat", pid + " (" + name + ") " + fields + "\n");
    }

    private Activity.Counters counters() {
        return Activity.Counters.read(new SystemTree(root), SELF).orElseThrow();
    }

    @Test
    void othersAreTheProcessesThatAreNeitherThisOneNorBelowIt() throws IOException {
        ticks(1000, 5000, 0);
        process(1, "init", 0, 10, 1);
        process(SELF, "java", 1, 100, 50);
        process(501, "mariadbd", SELF, 40, 60);
        process(502, "cat", 501, 0, 61);
        process(700, "gcc (1) x)", 1, 1000, 20);
        process(701, "cc1", 700, 0, 20);
        Activity.Counters before = counters();

        ticks(1130, 5070, 0);
        process(SELF, "java", 1, 130, 50);
        process(501, "mariadbd", SELF, 60, 60);
        process(502, "cat", 501, 10, 61);
        process(700, "gcc (1) x)", 1, 1050, 20);
        process(701, "cc1", 700, 20, 20);
        Activity seen = Activity.between(before, counters()).orElseThrow();

        assertThat(seen.cores()).isEqualTo(2);
        assertThat(seen.others())
                .containsExactly(new Activity.Busy("gcc (1) x)", 700, 0.5), new Activity.Busy("cc1", 701, 0.2));
        assertThat(seen.unseenCores()).isCloseTo(0, within(1e-9));
        assertThat(seen.otherLoad().isWarning()).isTrue();
        assertThat(seen.otherLoad().observed()).isEqualTo("0.70 of 2 cores: gcc (1) x) 0.50, cc1 0.20");
    }

    @Test
    void processesOfOneNameAreToldTogether() throws IOException {
        ticks(0, 0, 0);
        Activity.Counters before = counters();
        ticks(60, 140, 0);
        process(900, "java", 1, 15, 90);
        process(901, "java", 1, 25, 90);
        process(902, "dockerd", 1, 20, 90);

        assertThat(Activity.between(before, counters())
                        .orElseThrow()
                        .otherLoad()
                        .observed())
                .isEqualTo("0.60 of 2 cores: 2 × java 0.40, dockerd 0.20");
    }

    @Test
    void aNumberThatIsGivenToAnotherProcessStartsFromNothing() throws IOException {
        ticks(0, 0, 0);
        process(900, "old", 1, 5000, 90);
        Activity.Counters before = counters();
        ticks(30, 170, 0);
        process(900, "new", 1, 30, 12345);

        assertThat(Activity.between(before, counters()).orElseThrow().others())
                .containsExactly(new Activity.Busy("new", 900, 0.3));
    }

    @Test
    void whatNoVisibleProcessUsedIsToldToo() throws IOException {
        ticks(0, 0, 0);
        Activity.Counters before = counters();
        ticks(100, 100, 0);

        Activity seen = Activity.between(before, counters()).orElseThrow();
        assertThat(seen.unseenCores()).isCloseTo(1, within(1e-9));
        assertThat(seen.otherLoad().observed()).isEqualTo("1.00 of 2 cores: not visible from here 1.00");
        assertThat(seen.otherLoad().isWarning()).isTrue();
    }

    @Test
    void stealIsTheShareOfAllProcessorsTime() throws IOException {
        ticks(0, 0, 100);
        Activity.Counters before = counters();
        ticks(0, 190, 110);
        assertThat(Activity.between(before, counters()).orElseThrow().steal())
                .satisfies(finding -> assertThat(finding.isWarning()).isTrue())
                .extracting(Finding::observed)
                .isEqualTo("5.0 % of the processors' time");

        ticks(0, 199, 101);
        assertThat(Activity.between(before, counters()).orElseThrow().steal().level())
                .isEqualTo(Finding.Level.OK);
    }

    @Test
    void pagesThatWereSwappedAreCounted() throws IOException {
        ticks(0, 0, 0);
        Trees.write(root, "proc/vmstat", "pswpin 10\npswpout 20\n");
        Activity.Counters before = counters();
        ticks(0, 200, 0);
        assertThat(Activity.between(before, counters()).orElseThrow().swapping().level())
                .isEqualTo(Finding.Level.OK);

        Trees.write(root, "proc/vmstat", "pswpin 11\npswpout 25\n");
        assertThat(Activity.between(before, counters()).orElseThrow().swapping().observed())
                .isEqualTo("6 pages moved in a second");
    }

    @Test
    void noTimeIsNoActivity() throws IOException {
        ticks(7, 8, 9);
        assertThat(Activity.between(counters(), counters())).isEmpty();
    }

    /** Linux lets a process see that of another user, too. */
    @Test
    void aProgramThatReallyRunsIsSeenUnlessItIsOurOwn() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/stat")), "only Linux tells what runs");
        long self = ProcessHandle.current().pid();
        Activity.Counters before = Activity.Counters.read(SystemTree.HERE, self).orElseThrow();
        spinning = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        String command = "sh";
        // until it has used a twentieth of a second, however long that takes on a busy machine
        while (ProcessStat.read(SystemTree.HERE, Long.toString(spinning.pid()))
                .filter(stat -> stat.ticks() >= 5)
                .isEmpty()) {
            assertThat(spinning.waitFor(10, TimeUnit.MILLISECONDS)).isFalse();
        }
        Activity.Counters own = Activity.Counters.read(SystemTree.HERE, self).orElseThrow();
        assertThat(own.own()).contains(self, spinning.pid());
        assertThat(busy(Activity.between(before, own), spinning.pid())).isEmpty();

        // for somebody else, it is another's program
        Activity.Counters others =
                Activity.Counters.read(SystemTree.HERE, Long.MAX_VALUE).orElseThrow();
        Activity.Counters foreign = new Activity.Counters(
                before.cores(), before.ticks(), before.processes(), others.own(), before.swappedPages());
        assertThat(busy(Activity.between(foreign, others), spinning.pid()))
                .singleElement()
                .satisfies(busy -> {
                    assertThat(busy.command()).isEqualTo(command);
                    assertThat(busy.cores()).isBetween(0.0001, 1.5);
                });
    }

    private static Stream<Activity.Busy> busy(Optional<Activity> seen, long pid) {
        return seen.orElseThrow().others().stream().filter(busy -> busy.pid() == pid);
    }

    @AfterEach
    void end() {
        if (spinning != null) {
            spinning.destroyForcibly();
        }
    }
}
