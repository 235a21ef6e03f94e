package dev.blobmark.analysis;

import dev.blobmark.analysis.Ranking.PerKey;
import dev.blobmark.analysis.Ranking.ValuePlacement;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.PartsTable;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The space that the values of a method take. */
record StoredFigures(Manifest manifest, List<Sample> samples) {

    /** @param isWhole whether the samples have all values, and not one size class */
    Ranking.StoredSpace stored(boolean isWhole) {
        return new Ranking.StoredSpace(
                Summary.median(samples, s -> applicationBytesPer(s.disk().allocatedBytes(), s)),
                Summary.median(samples, s -> applicationBytesPer(s.disk().usedBytes(), s)),
                isWhole ? Summary.median(samples, this::encodedBytesPerSecond) : OptionalDouble.empty(),
                perKey(),
                isWhole ? placement() : Optional.empty());
    }

    /** Empty except for sets. */
    private Optional<PerKey> perKey() {
        List<LoadedStore> sets = stores(StoredFigures::isOfSet)
                .filter(store -> store.placement().memoryBytes().isPresent())
                .toList();
        return sets.isEmpty()
                ? Optional.empty()
                : Optional.of(new PerKey(
                        perRow(sets, store -> store.disk().allocatedBytes()),
                        perRow(sets, store -> store.disk().usedBytes()),
                        perRow(sets, store -> store.placement().memoryBytes())));
    }

    /** Empty for sets, and if unknown. */
    private Optional<ValuePlacement> placement() {
        List<LoadedStore> tables = stores(sample -> !isOfSet(sample)).toList();
        List<LoadedStore> ofCluster = tables.stream()
                .filter(store -> store.placement().memoryBytes().isPresent())
                .toList();
        return Optional.of(new ValuePlacement(
                        perRow(tables, store -> store.placement().inRow()),
                        tables.stream()
                                .flatMap(store -> store.placement().parts().stream())
                                .mapToDouble(PartsTable::inlineBytes)
                                .average(),
                        perRow(
                                ofCluster,
                                store -> OptionalLong.of(
                                        store.placement().memoryBytes().getAsLong() - partsBytes(store))),
                        perRow(ofCluster, store -> OptionalLong.of(partsBytes(store)))))
                .filter(ValuePlacement::isKnown);
    }

    private static long partsBytes(LoadedStore store) {
        return store.placement().parts().map(PartsTable::memoryBytes).orElse(0L);
    }

    private Stream<LoadedStore> stores(Predicate<Sample> which) {
        return samples.stream()
                .filter(which)
                .flatMap(sample -> manifest.storeOf(sample).stream())
                .distinct();
    }

    private static boolean isOfSet(Sample sample) {
        return Rankings.workload(sample.condition()).equals("membership");
    }

    private static OptionalDouble perRow(List<LoadedStore> stores, Function<LoadedStore, OptionalLong> amount) {
        return stores.stream()
                .filter(store ->
                        amount.apply(store).isPresent() && store.content().rows() > 0)
                .mapToDouble(store -> (double) amount.apply(store).getAsLong()
                        / store.content().rows())
                .average();
    }

    /** Application bytes of the whole store ÷ the bytes that it takes. */
    private OptionalDouble applicationBytesPer(OptionalLong bytes, Sample sample) {
        return manifest.storeOf(sample)
                .map(store -> divide(store.content().applicationBytes() + inserted(sample), real(bytes)))
                .orElse(OptionalDouble.empty());
    }

    /** What the window has written to a table that was empty before. */
    private static long inserted(Sample sample) {
        return Optional.ofNullable(sample.operations().get("insert"))
                .map(Operations::applicationBytes)
                .orElse(0L);
    }

    private static OptionalDouble real(OptionalLong whole) {
        return whole.isPresent() ? OptionalDouble.of(whole.getAsLong()) : OptionalDouble.empty();
    }

    private OptionalDouble encodedBytesPerSecond(Sample sample) {
        return manifest.storeOf(sample)
                .map(store -> store.content().encodedBytesPerS())
                .orElse(OptionalDouble.empty());
    }

    private static OptionalDouble divide(double by, OptionalDouble divisor) {
        return divisor.isPresent() && divisor.getAsDouble() > 0
                ? OptionalDouble.of(by / divisor.getAsDouble())
                : OptionalDouble.empty();
    }
}
