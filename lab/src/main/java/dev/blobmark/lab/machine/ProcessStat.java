package dev.blobmark.lab.machine;

import java.util.Optional;

/**
 * A process or thread from {@code /proc/PID/stat}, see proc_pid_stat(5).
 *
 * @param command its name, truncated to 15 characters by the kernel
 * @param state {@code R} if it runs or is ready to run, {@code S} if it waits
 * @param parent the process that started it
 * @param ticks its CPU time in clock ticks, in user and kernel mode
 * @param started ticks since boot
 * @param policy of the scheduler; 5 is SCHED_IDLE
 */
record ProcessStat(String command, char state, long parent, long ticks, long started, int policy) {

    static final char RUNNABLE = 'R';

    static final int SCHED_IDLE = 5;

    /**
     * Returns empty if the process has ended.
     *
     * @param process a number, or {@code PID/task/TID}
     */
    static Optional<ProcessStat> read(SystemTree tree, String process) {
        return tree.text("proc/" + process + "/stat").map(ProcessStat::parse);
    }

    /** The second field is the name in parentheses, which may contain any character. Fields 3 and later follow it. */
    static ProcessStat parse(String line) {
        int end = line.lastIndexOf(')');
        String[] fields = line.substring(end + 2).split(" ");
        return new ProcessStat(
                line.substring(line.indexOf('(') + 1, end),
                fields[0].charAt(0),
                Long.parseLong(fields[4 - 3]),
                Long.parseLong(fields[14 - 3]) + Long.parseLong(fields[15 - 3]),
                Long.parseLong(fields[22 - 3]),
                Integer.parseInt(fields[41 - 3]));
    }
}
