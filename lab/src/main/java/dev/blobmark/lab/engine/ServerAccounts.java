package dev.blobmark.lab.engine;

import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The sum of what a server did in the visits of a trial. The server is not queried in each of them. */
final class ServerAccounts {

    /** The server is queried in one of this many visits, because a query can take longer than a visit. */
    private static final int QUERY_INTERVAL = 8;

    private final KnownTotal cpuNanos = new KnownTotal(ServerAccount::cpuNanos);
    private final KnownTotal pagesRead = new KnownTotal(ServerAccount::pagesRead);
    private final KnownTotal pagesFlushed = new KnownTotal(ServerAccount::pagesFlushed);
    private final KnownTotal roundTrips = new KnownTotal(ServerAccount::roundTrips);
    private SortedMap<String, String> unknown = new TreeMap<>();

    /** The total of an amount, and the operations of the visits in which it was known. */
    private static final class KnownTotal {

        private final Function<ServerAccount, OptionalLong> amount;
        private long total;
        private long operations;

        KnownTotal(Function<ServerAccount, OptionalLong> amount) {
            this.amount = amount;
        }

        void add(ServerAccount account, long count) {
            amount.apply(account).ifPresent(more -> {
                total += more;
                operations += count;
            });
        }

        /** The amount for a number of operations. */
        OptionalLong of(long count) {
            return operations == 0
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.round((double) total * count / operations));
        }
    }

    /** Whether the server is queried in a visit, numbered from 0. */
    boolean queriesIn(int visit) {
        return visit % QUERY_INTERVAL == 0;
    }

    /**
     * Adds a visit.
     *
     * @param operations all operations of the visit
     * @param queried whether the server was queried
     */
    void add(ServerAccount account, long operations, boolean queried) {
        cpuNanos.add(account, operations);
        pagesRead.add(account, operations);
        pagesFlushed.add(account, operations);
        roundTrips.add(account, operations);
        if (queried) {
            unknown = account.unknown();
        }
    }

    /** The amounts for the operations that were measured. */
    ServerAccount total(long operations) {
        return new ServerAccount(
                cpuNanos.of(operations),
                pagesRead.of(operations),
                pagesFlushed.of(operations),
                roundTrips.of(operations),
                unknown);
    }
}
