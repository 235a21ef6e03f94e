package dev.blobmark.lab.engine;

import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** What a server did in the visits of a trial, added up. It is not asked in each of them. */
final class ServerAccounts {

    /** The answer of a server may take longer than a visit. */
    private static final int ASKED_ONCE_IN = 8;

    private final Sum cpuNanos = new Sum(ServerAccount::cpuNanos);
    private final Sum pagesRead = new Sum(ServerAccount::pagesRead);
    private final Sum pagesFlushed = new Sum(ServerAccount::pagesFlushed);
    private final Sum roundTrips = new Sum(ServerAccount::roundTrips);
    private SortedMap<String, String> unknown = new TreeMap<>();

    /** An amount, over the operations of the visits in which it was known. */
    private static final class Sum {

        private final Function<ServerAccount, OptionalLong> amount;
        private long total;
        private long operations;

        Sum(Function<ServerAccount, OptionalLong> amount) {
            this.amount = amount;
        }

        void add(ServerAccount account, long count) {
            amount.apply(account).ifPresent(more -> {
                total += more;
                operations += count;
            });
        }

        /** As much as so many operations took. */
        OptionalLong of(long others) {
            return operations == 0
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.round((double) total * others / operations));
        }
    }

    /** Whether the server is asked in a visit, numbered from 0. */
    boolean asksIn(int visit) {
        return visit % ASKED_ONCE_IN == 0;
    }

    /**
     * One more visit.
     *
     * @param operations all that were done in it
     * @param asked whether the server was
     */
    void add(ServerAccount account, long operations, boolean asked) {
        cpuNanos.add(account, operations);
        pagesRead.add(account, operations);
        pagesFlushed.add(account, operations);
        roundTrips.add(account, operations);
        if (asked) {
            unknown = account.unknown();
        }
    }

    /** What so many operations took, those that were measured. */
    ServerAccount total(long operations) {
        return new ServerAccount(
                cpuNanos.of(operations),
                pagesRead.of(operations),
                pagesFlushed.of(operations),
                roundTrips.of(operations),
                unknown);
    }
}
