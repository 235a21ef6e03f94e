package dev.blobmark.lab.machine;

import java.util.List;

/** The Java that measures: every fork is started by the one that this code runs in. */
final class JavaRuntime {

    private JavaRuntime() {}

    /**
     * @param vm its name and version
     * @param arguments of the JVM, those of {@code JAVA_TOOL_OPTIONS} among them, which every fork takes too
     */
    static Finding finding(String vm, List<String> arguments) {
        List<String> slowing = arguments.stream()
                .filter(
                        argument -> argument.matches(
                                "-agentlib:.*|-agentpath:.*|-javaagent:.*|-Xint|-Xcomp|-Xdebug|-Xrunjdwp.*|-XX:TieredStopAtLevel=[0-3]"))
                .map(argument -> argument.replaceFirst("[:=].*", ""))
                .toList();
        if (!slowing.isEmpty()) {
            return Finding.warning(
                    "Java",
                    vm + ", with " + String.join(", ", slowing),
                    "Agents, debuggers and a restricted compiler slow the client down, some of its methods more than others.",
                    "Take it out of BLOBMARK_OPTS, JAVA_TOOL_OPTIONS or JDK_JAVA_OPTIONS.");
        }
        return vm.contains("-ea") || vm.contains("fastdebug")
                ? Finding.note("Java", vm, "It is not a release: figures may differ from those of one.", "")
                : Finding.ok("Java", vm);
    }
}
