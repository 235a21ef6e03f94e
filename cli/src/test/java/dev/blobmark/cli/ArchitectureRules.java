package dev.blobmark.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Set;

/**
 * What the modules may know and do, for the packages below a root. The root is a parameter so that each rule can also
 * be held against classes that break it.
 */
final class ArchitectureRules {

    /** Sockets that take connections, or messages of anybody. */
    private static final List<Class<?>> LISTENERS = List.of(
            ServerSocket.class,
            ServerSocketChannel.class,
            AsynchronousServerSocketChannel.class,
            DatagramSocket.class,
            DatagramChannel.class);

    private final String root;

    ArchitectureRules(String root) {
        this.root = root;
    }

    /**
     * cli → report → advice → analysis → lab → mysql → value → codec: each may also skip a step, and none may look
     * back. Reencode is between report and mysql, and below lab there is also stats, which knows no other module.
     */
    ArchRule modulesPointOneWay() {
        return layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("cli")
                .definedBy(root + ".cli..")
                .layer("report")
                .definedBy(root + ".report..")
                .layer("advice")
                .definedBy(root + ".advice..")
                .layer("analysis")
                .definedBy(root + ".analysis..")
                .layer("reencode")
                .definedBy(root + ".reencode..")
                .layer("lab")
                .definedBy(root + ".lab..")
                .layer("mysql")
                .definedBy(root + ".mysql..")
                .layer("stats")
                .definedBy(root + ".stats..")
                .layer("value")
                .definedBy(root + ".value..")
                .layer("codec")
                .definedBy(root + ".codec..")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("report")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("advice")
                .mayOnlyBeAccessedByLayers("cli", "report")
                .whereLayer("analysis")
                .mayOnlyBeAccessedByLayers("cli", "report", "advice")
                .whereLayer("reencode")
                .mayOnlyBeAccessedByLayers("cli", "report")
                .whereLayer("lab")
                .mayOnlyBeAccessedByLayers("cli", "report", "advice", "analysis")
                .whereLayer("mysql")
                .mayOnlyBeAccessedByLayers("cli", "report", "advice", "analysis", "reencode", "lab")
                .whereLayer("stats")
                .mayOnlyBeAccessedByLayers("cli", "report", "advice", "analysis", "lab")
                .whereLayer("stats")
                .mayNotAccessAnyLayer()
                .whereLayer("value")
                .mayOnlyBeAccessedByLayers("cli", "report", "advice", "analysis", "reencode", "lab", "mysql");
    }

    /** Each package is a slice of its own, those inside another one too. */
    ArchRule labHasNoCycles() {
        return slices().matching(root + ".lab.(**)").should().beFreeOfCycles();
    }

    /** Its rooms, which are put together by the classes of its root package. */
    ArchRule reencodeHasNoCycles() {
        return slices().matching(root + ".reencode.(**)").should().beFreeOfCycles();
    }

    ArchRule noRoomKnowsWhatPutsRoomsTogether() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".reencode.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".reencode");
    }

    ArchRule shardsKnowNoCommands() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".cli.shards..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".cli");
    }

    /** Where it would be in no slice. */
    ArchRule nothingLiesInTheRootOfTheLab() {
        return noClasses().should().resideInAPackage(root + ".lab");
    }

    /** What is to be measured is planned without those who measure it. */
    ArchRule plansKnowNoMeasuring() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".lab.plan..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        root + ".lab.engine..",
                        root + ".lab.fork..",
                        root + ".lab.admission..",
                        root + ".lab.conduct..");
    }

    /** What is in the JVM that measures knows nothing of the processes around it. */
    ArchRule theEngineKnowsNoForks() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".lab.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(root + ".lab.fork..", root + ".lab.admission..", root + ".lab.conduct..");
    }

    ArchRule codecKnowsNoJdbc() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".codec..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..");
    }

    ArchRule onlyTheCliPrints() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".cli..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethodWhere(describe(
                        "print a stack trace",
                        call -> call.getName().equals("printStackTrace")
                                && call.getTarget().getRawParameterTypes().isEmpty()
                                && call.getTargetOwner().isAssignableTo(Throwable.class)));
    }

    ArchRule onlyTheCliReadsTheEnvironment() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".cli..")
                .should()
                .callMethod(System.class, "getenv")
                .orShould()
                .callMethod(System.class, "getenv", String.class);
    }

    ArchRule onlyTheCliExits() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".cli..")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class);
    }

    /** One place takes secrets out of the environment. */
    ArchRule onlySubprocessStartsPrograms() {
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName(root + ".lab.machine.Subprocess")
                .should()
                .callConstructor(ProcessBuilder.class, String[].class)
                .orShould()
                .callConstructor(ProcessBuilder.class, List.class)
                .orShould()
                .callMethodWhere(describe(
                        "start a program",
                        call -> call.getName().equals("exec")
                                && call.getTargetOwner().isEquivalentTo(Runtime.class)));
    }

    /** Each is in the table of SECURITY.md. Those of the fleet are in a module of their own. */
    ArchRule onlyKnownClassesListen() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(root + ".fleet..", root + ".bench..")
                .and()
                .doNotHaveFullyQualifiedName(root + ".lab.link.LinkProxy")
                .and()
                .doNotHaveFullyQualifiedName(root + ".lab.link.Peer")
                .and()
                .doNotHaveFullyQualifiedName(root + ".reencode.throttle.ControlSocket")
                .should()
                .dependOnClassesThat(describe(
                        "can listen",
                        used -> LISTENERS.stream().anyMatch(used::isAssignableTo)
                                || used.getPackageName().startsWith("com.sun.net.httpserver")));
    }

    Set<ArchRule> all() {
        return Set.of(
                modulesPointOneWay(),
                labHasNoCycles(),
                reencodeHasNoCycles(),
                noRoomKnowsWhatPutsRoomsTogether(),
                shardsKnowNoCommands(),
                nothingLiesInTheRootOfTheLab(),
                plansKnowNoMeasuring(),
                theEngineKnowsNoForks(),
                codecKnowsNoJdbc(),
                onlyTheCliPrints(),
                onlyTheCliReadsTheEnvironment(),
                onlyTheCliExits(),
                onlySubprocessStartsPrograms(),
                onlyKnownClassesListen());
    }
}
