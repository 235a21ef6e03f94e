package dev.blobmark.reencode.table;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.ValueDictionary;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dictionaries of a table, each asked for when it is needed. One that values are read with is not deleted: this is
 * said in the table once a minute, as a change may take days. It may wait, unlike a request of an application.
 */
final class TableDictionaries implements Dictionaries {

    private static final Logger LOG = LoggerFactory.getLogger(TableDictionaries.class);

    private static final long EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final DictionaryTable table;
    private final Map<Integer, Long> saidAtNanos = new ConcurrentHashMap<>();

    TableDictionaries(DictionaryTable table) {
        this.table = table;
    }

    @Override
    public Optional<ValueDictionary> find(int number) {
        return table.find(number);
    }

    @Override
    public void onUse(int number) {
        Long before = saidAtNanos.get(number);
        long now = System.nanoTime();
        if (before == null || now - before > EVERY_NANOS) {
            saidAtNanos.put(number, now);
            keep(number);
        }
    }

    /** The value can be read all the same, so the change continues. */
    private void keep(int number) {
        String what = "a value was read with dictionary " + ValueDictionary.name(number) + ", which is deleted: ";
        try {
            if (table.keep(number)) {
                LOG.warn("{}it is kept", what);
            }
        } catch (RuntimeException e) {
            LOG.error("{}do not purge it. This could not be written to its table: {}", what, e.getMessage());
        }
    }
}
