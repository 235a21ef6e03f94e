package dev.blobmark.bench.value.deletion;

import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * What sessions may use.
 *
 * @param hasGlobal whether they prepare transactions
 * @param hasDefinitions whether they rename, alter and make tables
 */
record Tables(List<String> names, boolean hasGlobal, boolean hasDefinitions) {

    String drawn(UniformRandomProvider random) {
        return names.get(random.nextInt(names.size()));
    }
}
