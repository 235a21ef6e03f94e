package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found on machines of several kinds, from copies of their /proc and /sys. */
class MachineFindingsTest {

    private static final Need NEED = new Need("a-study", 3_000_000_000L, 2_000_000_000L, 100_000_000L);

    @TempDir
    private Path root;

    /** Level, property and what was observed; and for what is not well, its remedy. */
    private static List<String> found(SystemTree tree) {
        return Stream.of(
                        new Processors(tree).findings(),
                        List.of(new Clocks(tree).source()),
                        new Memory(tree).findings(NEED))
                .flatMap(List::stream)
                .map(f -> f.level().word() + " " + f.what() + ": " + f.observed()
                        + (f.remedy().isEmpty() ? "" : " → " + f.remedy()))
                .toList();
    }

    @Test
    void aLaptopThatSavesPowerAndIsShortOfMemory() throws IOException {
        assertThat(found(Trees.unpack("laptop", root)))
                .containsExactly(
                        "ok cores: 4 of 4 online, no quota",
                        "note SMT: on; threads by core: 0,2 1,3 → Keep client and server on different cores:"
                                + " --pin client=1+3,server=0+2",
                        "warning governor: performance, powersave → sudo cpupower frequency-set -g performance",
                        "note turbo: on → echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
                        "warning clock source: hpet → Choose another of"
                                + " /sys/devices/system/clocksource/clocksource0/available_clocksource (hpet acpi_pm),"
                                + " such as tsc. The kernel's log has the reason for its choice.",
                        "warning free memory: 2.1 GB; a run needs up to 3.0 GB for server and JVMs → End"
                                + " programs that use much memory, or raise the container's limit.",
                        "note swap: 537 MB of 2.1 GB used → With enough free memory: sudo swapoff -a, and sudo swapon -a",
                        "note huge pages: always → echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    }

    @Test
    void aVirtualMachineThatDoesNotSeeItsHost() throws IOException {
        SystemTree tree = Trees.unpack("virtual", root);

        assertThat(found(tree))
                .containsExactly(
                        "ok cores: 2 of 2 online, no quota",
                        "ok SMT: off, or not visible in this virtual machine",
                        "unknown governor: unknown",
                        "unknown turbo: unknown",
                        "ok clock source: tsc",
                        "ok free memory: 23.4 GB; a run needs up to 3.0 GB for server and JVMs",
                        "ok swap: none",
                        "ok huge pages: madvise");
        assertThat(new Processors(tree).governor().why())
                .isEqualTo("a virtual machine: its host decides, and does not report it");
    }

    @Test
    void aContainerWithLimits() throws IOException {
        assertThat(found(Trees.unpack("container", root)))
                .contains(
                        "warning cores: 9 of 16 online, with a quota of 1.50 → Lift the container's CPU quota, and give it"
                                + " whole processors instead (docker run --cpuset-cpus).",
                        "ok governor: performance",
                        "ok turbo: off",
                        "warning free memory: 2.0 GB until the container's limit; a run needs up to 3.0 GB for server and JVMs → End"
                                + " programs that use much memory, or raise the container's limit.",
                        "ok swap: unused, 1.0 GB");
    }

    @Test
    void aQuotaOfAGroupFurtherUpCountsToo() throws IOException {
        SystemTree tree = Trees.unpack("laptop", root);
        assertThat(new ControlGroups(tree).quotaCores()).isEmpty();

        Trees.write(root, "sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n");
        Trees.write(root, "sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope/cpu.max", "300000 100000\n");
        assertThat(new ControlGroups(tree).quotaCores()).hasValue(0.5);
    }

    @Test
    void limitsOfTheFirstVersionOfControlGroupsAreReadToo() throws IOException {
        SystemTree tree = Trees.unpack("virtual", root);
        Trees.write(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "120000\n");
        Trees.write(root, "sys/fs/cgroup/memory/process_api/memory.limit_in_bytes", "1000000000\n");
        Trees.write(root, "sys/fs/cgroup/memory/process_api/memory.usage_in_bytes", "400000000\n");

        assertThat(new ControlGroups(tree).quotaCores()).hasValue(1.2);
        assertThat(new ControlGroups(tree).freeMemoryBytes()).hasValue(600_000_000);
    }

    @Test
    void aSystemThatDoesNotTellGivesTheReason() {
        SystemTree none = new SystemTree(root.resolve("none"));

        assertThat(Stream.concat(
                        new Processors(none).findings().stream().skip(1),
                        Stream.of(
                                new Clocks(none).source(),
                                new Memory(none).findings(NEED).get(1))))
                .hasSize(5)
                .allSatisfy(finding -> {
                    assertThat(finding.level()).isEqualTo(Finding.Level.UNKNOWN);
                    assertThat(finding.why()).isEqualTo("known only on Linux (no /proc/stat here)");
                });
        assertThat(Activity.findings(Optional.empty()))
                .extracting(Finding::what, Finding::level)
                .containsExactly(
                        tuple("steal", Finding.Level.UNKNOWN),
                        tuple("other load", Finding.Level.UNKNOWN),
                        tuple("swapping", Finding.Level.UNKNOWN));
    }

    @Test
    void aSingleCoreIsSharedByClientAndServer() throws IOException {
        SystemTree tree = Trees.unpack("virtual", root);
        Trees.write(root, "proc/self/status", "Cpus_allowed_list:\t1\n");

        assertThat(new Processors(tree).findings().get(0).isWarning()).isTrue();
    }

    @Test
    void aDiskIsJudgedByItsRoomAndItsKind() {
        StorageNeed storage = new StorageNeed("cache disk", root, 2_000_000_000L);

        assertThat(storage.judge("ext4", 2_000_000_000L)).isEqualTo(Finding.ok("cache disk", "2.0 GB free, ext4"));
        assertThat(storage.judge("ext4", 1_999_999_999L).isWarning()).isTrue();
        assertThat(storage.judge("nfs4", 1L << 40).isWarning()).isTrue();
        assertThat(storage.judge("fuse.sshfs", 1L << 40).isWarning()).isTrue();
        assertThat(storage.judge("tmpfs", 1L << 40).level()).isEqualTo(Finding.Level.NOTE);
        assertThat(storage.judge("overlay", 1L << 40).level()).isEqualTo(Finding.Level.NOTE);
    }

    @Test
    void aDirectoryThatIsYetToBeMadeHasTheDiskOfTheOneAboveIt() throws IOException {
        assertThat(new StorageNeed("run disk", root.resolve("a/b/c"), 1)
                        .finding()
                        .observed())
                .endsWith(" free, " + Files.getFileStore(root).type());
    }

    @Test
    void whatSlowsJavaDownIsNamedWithoutItsArguments() {
        assertThat(JavaRuntime.finding("HotSpot 17", List.of("-Xmx1g", "-Dx=-Xint"))
                        .level())
                .isEqualTo(Finding.Level.OK);
        assertThat(JavaRuntime.finding("HotSpot 17", List.of("-javaagent:/secret/agent.jar", "-Xint"))
                        .observed())
                .isEqualTo("HotSpot 17, with -javaagent, -Xint");
        assertThat(JavaRuntime.finding("HotSpot 26-ea+1", List.of()).level()).isEqualTo(Finding.Level.NOTE);
    }

    @Test
    void aClockThatIsSlowOrCoarseIsWarnedOf() {
        assertThat(new Clocks.ClockReading(25, 20).finding().level()).isEqualTo(Finding.Level.OK);
        assertThat(new Clocks.ClockReading(1200, 20).finding().isWarning()).isTrue();
        assertThat(new Clocks.ClockReading(25, 1_000_000).finding().isWarning()).isTrue();
        Clocks.ClockReading here = Clocks.ClockReading.measure();
        assertThat(here.costNanos()).isPositive();
        assertThat(here.stepNanos()).isPositive();
    }
}
