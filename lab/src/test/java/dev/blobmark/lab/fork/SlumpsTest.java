package dev.blobmark.lab.fork;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlumpsTest {

    /** Of three trials in turns: 100, 200 and 300 operations per second. */
    private static List<Slumps.RatedVisit> steady(int turns) {
        List<Slumps.RatedVisit> visits = new ArrayList<>();
        for (int turn = 0; turn < turns; turn++) {
            for (int trial = 0; trial < 3; trial++) {
                visits.add(new Slumps.RatedVisit(trial, turn, 100.0 * (trial + 1)));
            }
        }
        return visits;
    }

    private static void slow(List<Slumps.RatedVisit> visits, double part, int... places) {
        IntStream.of(places).forEach(place -> {
            Slumps.RatedVisit its = visits.get(place);
            visits.set(place, new Slumps.RatedVisit(its.trial(), its.number(), part * its.rate()));
        });
    }

    @Test
    void visitsNextToEachOtherThatAreAllSlowAreOne() {
        List<Slumps.RatedVisit> visits = steady(6);
        slow(visits, 0.4, 7, 8, 9, 16, 17);

        assertThat(new Slumps().find(visits))
                .containsExactlyInAnyOrder(visits.get(7), visits.get(8), visits.get(9), visits.get(16), visits.get(17));
    }

    @Test
    void aTrialThatIsSlowAtTimesByItselfMakesNone() {
        List<Slumps.RatedVisit> visits = steady(9);
        slow(visits, 0.1, 1, 10, 19);

        assertThat(new Slumps().find(visits)).isEmpty();
    }

    @Test
    void neitherDoVisitsOfOneTrialThatFollowEachOther() {
        List<Slumps.RatedVisit> visits = steady(6);
        visits.addAll(6, List.of(new Slumps.RatedVisit(0, 6, 10), new Slumps.RatedVisit(0, 7, 10)));

        assertThat(new Slumps().find(visits)).isEmpty();
    }

    @Test
    void somewhatSlowerIsNoise() {
        List<Slumps.RatedVisit> visits = steady(6);
        slow(visits, 0.6, 7, 8, 9);

        assertThat(new Slumps().find(visits)).isEmpty();
    }

    @Test
    void whatIsUsualIsThatOfTheFork() {
        Slumps slumps = new Slumps();
        assertThat(slumps.find(steady(6))).isEmpty();
        List<Slumps.RatedVisit> later = steady(2);
        slow(later, 0.2, 0, 1, 2, 3, 4, 5);

        assertThat(slumps.find(later)).hasSize(6);
    }
}
