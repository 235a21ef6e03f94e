package dev.blobmark.cli;

import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.workload.Threads;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Precautions against the noise of the machine. */
final class PrecautionOptions {

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--pin",
            paramLabel = "client=CPUS,server=CPUS",
            description =
                    "Hold the measuring JVMs and the server to processors: client=1,server=0, or 2-3, or 0+2; none:"
                            + " leave them to the system. Default: with a server that is started for the run, each on half of the"
                            + " cores, if that is one for each thread.")
    private String pin;

    @Option(
            names = "--keep-awake",
            negatable = true,
            fallbackValue = "true",
            description =
                    "Keep processors out of idle with spinners that give way to what the run starts, and rest while"
                            + " it writes; a server of yours on this machine would wait for them. Default: with a server that is"
                            + " started for the run, where waking an idle one takes long.")
    private Boolean keepAwake;

    /**
     * Precautions that were not asked for are chosen by what helps on this machine.
     *
     * @param startsServer whether a server is started for the run; without one nothing is chosen
     */
    Precautions of(Study study, boolean startsServer) {
        try {
            Pin usual = startsServer ? Pin.apart(Threads.fewest(study.trials(Factors.VOCABULARY))) : Pin.NONE;
            return new Precautions(
                    pin == null ? usual : Pin.parse(pin),
                    keepAwake == null ? startsServer && KeepAwake.pays() : keepAwake);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--pin: " + e.getMessage());
        }
    }
}
