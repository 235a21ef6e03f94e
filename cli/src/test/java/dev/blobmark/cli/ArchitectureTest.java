package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the rules against all modules, and against classes in the test sources that break each of them. */
class ArchitectureTest {

    private static final String VIOLATIONS = "dev.blobmark.cli.violations";

    private static final JavaClasses BLOBMARK =
            new ClassFileImporter().withImportOption(new DoNotIncludeTests()).importPackages("dev.blobmark");

    private static final JavaClasses VIOLATING = new ClassFileImporter().importPackages(VIOLATIONS);

    private final ArchitectureRules violated = new ArchitectureRules(VIOLATIONS);

    static Iterable<ArchRule> rules() {
        return new ArchitectureRules("dev.blobmark").all();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void holds(ArchRule rule) {
        rule.check(BLOBMARK);
    }

    @Test
    void allModulesAreLookedAt() {
        assertThat(BLOBMARK)
                .extracting(c -> c.getPackageName().split("\\.")[2])
                .contains("codec", "value", "mysql", "stats", "lab", "reencode", "analysis", "advice", "report", "cli");
    }

    @Test
    void aModuleThatLooksBackIsFound() {
        assertFound(
                violated.modulesPointOneWay(),
                "violations.analysis.Violation",
                "violations.codec.Violation",
                "violations.lab.engine.Violation",
                "violations.mysql.Violation",
                "violations.reencode.Violation",
                "violations.report.Violation",
                "violations.stats.Violation",
                "violations.value.Violation");
    }

    @Test
    void aCycleInTheLabIsFound() {
        assertFound(violated.labHasNoCycles(), "violations.lab.engine", "violations.lab.study");
    }

    @Test
    void aCycleInReencodeIsFound() {
        assertFound(violated.reencodeHasNoCycles(), "violations.reencode.row", "violations.reencode.table");
    }

    @Test
    void aRoomThatKnowsTheWholeIsFound() {
        assertFound(violated.noRoomKnowsWhatPutsRoomsTogether(), "violations.reencode.table.Violation");
    }

    @Test
    void aShardThatKnowsACommandIsFound() {
        assertFound(violated.shardsKnowNoCommands(), "violations.cli.shards.Violation");
    }

    @Test
    void aClassInTheRootOfTheLabIsFound() {
        assertFound(violated.nothingLiesInTheRootOfTheLab(), "violations.lab.Violation");
    }

    @Test
    void aPlanThatKnowsWhoMeasuresIsFound() {
        assertFound(violated.plansKnowNoMeasuring(), "violations.lab.plan.Violation", "violations.lab.engine");
    }

    @Test
    void anEngineThatKnowsItsForkIsFound() {
        assertFound(violated.theEngineKnowsNoForks(), "violations.lab.engine.Violation", "violations.lab.fork");
    }

    @Test
    void jdbcInACodecIsFound() {
        assertFound(violated.codecKnowsNoJdbc(), "java.sql.SQLException");
    }

    @Test
    void printingOutsideTheCliIsFound() {
        assertFound(
                violated.onlyTheCliPrints(), "<java.lang.System.out>", "<java.lang.System.err>", "printStackTrace()");
    }

    @Test
    void theEnvironmentReadOutsideTheCliIsFound() {
        assertFound(violated.onlyTheCliReadsTheEnvironment(), "getenv()", "getenv(java.lang.String)");
    }

    @Test
    void anExitOutsideTheCliIsFound() {
        assertFound(violated.onlyTheCliExits(), "System.exit(int)", "Runtime.exit(int)", "Runtime.halt(int)");
    }

    @Test
    void aProgramThatIsStartedElsewhereIsFound() {
        assertFound(
                violated.onlySubprocessStartsPrograms(),
                "ProcessBuilder.<init>([Ljava.lang.String;)",
                "ProcessBuilder.<init>(java.util.List)");
    }

    @Test
    void aSocketThatListensElsewhereIsFound() {
        assertFound(
                violated.onlyKnownClassesListen(),
                "java.net.ServerSocket.<init>(int)",
                "java.net.DatagramSocket.<init>()",
                "java.nio.channels.ServerSocketChannel.open()");
    }

    @Test
    void theCliMayPrintReadTheEnvironmentAndExit() {
        assertThat(violated.onlyTheCliPrints()
                        .evaluate(VIOLATING)
                        .getFailureReport()
                        .getDetails())
                .noneMatch(line -> line.contains("violations.cli.Allowed.look()> gets"));
        for (ArchRule rule : List.of(violated.onlyTheCliReadsTheEnvironment(), violated.onlyTheCliExits())) {
            assertThat(rule.evaluate(VIOLATING).getFailureReport().getDetails())
                    .noneMatch(line -> line.contains("violations.cli.Allowed.look()> calls"));
        }
    }

    private static void assertFound(ArchRule rule, String... places) {
        assertThat(String.join("\n", rule.evaluate(VIOLATING).getFailureReport().getDetails()))
                .contains(places);
    }
}
