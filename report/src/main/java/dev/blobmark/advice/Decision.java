package dev.blobmark.advice;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.advice.Advice.SizeSegment;
import dev.blobmark.advice.Advice.Standing;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides which candidate is recommended, by the times of a race. {@link Outlook} says where another one would be.
 *
 * @param excluded reasons, by candidate
 */
record Decision(
        AdviceQuestion question,
        TimeForecast forecast,
        List<Candidate> candidates,
        Map<String, String> excluded,
        Race.RaceResult race) {

    /**
     * @param terms for costs; empty without prices
     * @param notes for the user
     */
    Advice advice(Advice.Origin origin, AdvisedValues values, Optional<Terms> terms, List<String> notes) {
        boolean isRaced = !race.raced().isEmpty();
        List<Choice.Contender> contenders = candidates.stream()
                .filter(candidate -> isRaced
                        ? race.raced().containsKey(candidate.id())
                        : candidate.isPredictable() && !excluded.containsKey(candidate.id()))
                .map(this::contender)
                .toList();
        Candidate chosen = Choice.of(contenders, question.goal())
                .orElseThrow(() -> new AdviceException("no candidate could be measured: " + race.missing()));
        Optional<Candidate> next = Choice.of(
                contenders.stream()
                        .filter(contender -> !contender.candidate().equals(chosen))
                        .toList(),
                question.goal());
        List<Entry> entries = candidates.stream()
                .map(candidate -> entry(candidate, chosen))
                .sorted(Comparator.comparing((Entry entry) -> entry.standing() != Standing.RECOMMENDED)
                        .thenComparing(entry -> entry.raced().isEmpty())
                        .thenComparingDouble(Entry::readNanos))
                .toList();
        Outlook outlook = new Outlook(question, forecast, entries);
        List<SizeSegment> sizes = bySize(chosen, outlook);
        return new Advice(
                Advice.SCHEMA,
                origin,
                question,
                values,
                forecast,
                entries,
                new Advice.Worth(
                        next.map(Candidate::id),
                        entries.get(0).raced().map(Raced::worst).orElse(OptionalDouble.empty()),
                        terms.map(with -> money(with, values, entries))),
                new Advice.Reach(
                        outlook.byBandwidth(chosen),
                        outlook.surelyByLink(chosen),
                        outlook.byThreads(chosen),
                        outlook.surelyByThreads(chosen),
                        sizes,
                        Advice.Threshold.of(chosen, sizes)),
                notes);
    }

    private Money money(Terms terms, AdvisedValues values, List<Entry> entries) {
        Entry present = entries.stream()
                .filter(entry -> entry.candidate().isAsIs())
                .findFirst()
                .orElseThrow();
        return Money.of(
                terms.prices(),
                terms.operationsPerSecond(),
                question.readShare(),
                values.count(),
                entries.get(0),
                present);
    }

    private Choice.Contender contender(Candidate candidate) {
        Raced raced = race.raced().get(candidate.id());
        if (raced == null) {
            return new Choice.Contender(
                    candidate,
                    question.cost(
                            forecast.readNanos(candidate.figures(), question.load()),
                            TimeForecast.writeNanos(
                                    candidate.figures(), question.load().link())),
                    candidate.figures().storedBytes());
        }
        return new Choice.Contender(
                candidate,
                question.cost(
                        raced.readNanos(),
                        TimeForecast.writeNanos(
                                candidate.figures(), question.load().link())),
                raced.diskBytes().orElse(candidate.figures().storedBytes()));
    }

    private Entry entry(Candidate candidate, Candidate chosen) {
        Optional<Raced> raced = Optional.ofNullable(race.raced().get(candidate.id()));
        Standing standing = Standing.NOT_RACED;
        String reason = "";
        if (candidate.equals(chosen)) {
            standing = Standing.RECOMMENDED;
        } else if (raced.isPresent()) {
            standing = Standing.RACED;
        } else if (excluded.containsKey(candidate.id())) {
            standing = Standing.EXCLUDED;
            reason = excluded.get(candidate.id());
        } else if (race.missing().containsKey(candidate.id())) {
            standing = Standing.UNAVAILABLE;
            reason = race.missing().get(candidate.id());
        } else {
            reason = "the forecast has better ones, or one that is like it";
        }
        return new Entry(
                candidate,
                forecast.readNanos(candidate.figures(), question.load()),
                TimeForecast.writeNanos(candidate.figures(), question.load().link()),
                raced,
                standing,
                reason);
    }

    /** Adjacent classes with the same recommendation are one. */
    private List<SizeSegment> bySize(Candidate chosen, Outlook outlook) {
        List<SizeSegment> segments = new ArrayList<>();
        if (!chosen.isPredictable()) {
            return segments; // its time by size is not known
        }
        Map<SizeClass, OfClass> classes = chosen.figures().classes();
        double count = classes.values().stream().mapToLong(OfClass::count).sum();
        classes.forEach((size, of) -> {
            String id = outlook.recommended(chosen, size, question.load());
            double share = of.count() / count;
            int last = segments.size() - 1;
            if (last >= 0 && segments.get(last).candidate().equals(id)) {
                SizeSegment before = segments.get(last);
                segments.set(last, new SizeSegment(before.low(), size.high(), before.share() + share, id));
            } else {
                segments.add(new SizeSegment(size.low(), size.high(), share, id));
            }
        });
        return segments;
    }
}
