package dev.blobmark.lab.machine;

import java.util.List;

/** The Java runtime that measures. Every fork is started by the runtime of this process. */
final class JavaRuntime {

    private JavaRuntime() {}

    /**
     * @param vm name and version
     * @param arguments of the JVM, including those of {@code JAVA_TOOL_OPTIONS}, which apply to every fork too
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
                    "Agents, debuggers and a restricted compiler slow down the client, some methods more than others.",
                    "Remove them from BLOBMARK_OPTS, JAVA_TOOL_OPTIONS or JDK_JAVA_OPTIONS.");
        }
        return vm.contains("-ea") || vm.contains("fastdebug")
                ? Finding.note("Java", vm, "This is not a release. Figures of a release may differ.", "")
                : Finding.ok("Java", vm);
    }
}
