package dev.blobmark.lab.run;

import java.util.OptionalDouble;

/**
 * How closely together the processes of a trial measured.
 *
 * @param processes 2 or more
 * @param startsMs from the start of the first window to that of the last
 * @param endsMs from the end of the first window to that of the last
 * @param common share of the longest window in which all processes measured, from 0 to 1
 * @param clockMs by how much starts and ends of processes on different hosts may be wrong, since their clocks are
 *     compared by messages; empty if all had the same clock
 */
public record Skew(int processes, double startsMs, double endsMs, double common, OptionalDouble clockMs) {}
