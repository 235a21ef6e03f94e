package dev.blobmark.reencode.check;

import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.table.Definition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is looked at before a change begins or continues, in the order in which problems are shown. The preview and the
 * change look at the same. To add a check, add a constant, with a test that fails without it.
 */
public enum Check {
    TABLE(Scope.BEFORE_EXCHANGE, on -> on.facts().problems(on.isOfCopy())),
    PRIVILEGES(Scope.COPY, on -> CopyChecks.missing(on.connection(), on.column(), on.isByLog())),
    IDENTITY(Scope.COPY, on -> list(CopyChecks.unidentified(on.connection(), on.column()))),
    CLUSTER(Scope.COPY, on -> list(CopyChecks.cluster(on.connection()))),
    PREPARED_TRANSACTIONS(Scope.COPY, on -> list(PreparedTransactions.problem(on.connection()))),
    DEFINITION(Scope.COPY, on -> Definition.problems(on.connection(), on.column())),
    DEPENDENTS(
            Scope.COPY,
            on -> CopyChecks.dependents(on.connection(), on.column(), on.isByLog() && (on.isMade() || on.isNewCopy()))),
    TABLE_OF_TRIGGERS(
            Scope.COPY,
            on -> on.isByLog() ? List.of() : list(CopyChecks.columnLikeThatOfTriggers(on.connection(), on.column()))),
    TRIGGERS(
            Scope.COPY,
            on -> on.isMade()
                    ? List.of()
                    : list(CopyChecks.triggersDenied(on.connection(), LogSettings.problem(on.connection())))),
    NAMES(Scope.NEW_COPY, on -> ShadowTable.inTheWay(on.connection(), on.column())),
    REPLICATION(Scope.EACH, on -> list(new Replication(on.connection()).refusal())),
    GALERA(Scope.EACH, on -> list(Preflight.unsent(on.connection()))),
    UNLOGGED(Scope.EACH, on -> list(Preflight.unlogged(on.connection()))),
    REPLICAS(Scope.NEW, on -> list(Preflight.unwatched(on.connection(), on.options()))),
    READERS(Scope.EACH, on -> list(Preflight.unreadable(on)));

    /** Which changes a check is for. */
    enum Scope {
        /** All, also those that continue, and the way back. */
        EACH,
        /** Those that no process has begun. */
        NEW,
        /** Afterwards the table is the application's, whatever others have made of it. */
        BEFORE_EXCHANGE,
        /** A copy that was not exchanged, new or continued. */
        COPY,
        /** A copy that has made nothing yet. */
        NEW_COPY;

        private boolean includes(Beginning on) {
            return switch (this) {
                case EACH -> true;
                case NEW -> !on.isContinued();
                case BEFORE_EXCHANGE -> !on.isExchanging();
                case COPY -> on.copy().isPresent() && !on.isExchanging();
                case NEW_COPY -> on.isNewCopy() && !on.isExchanging();
            };
        }
    }

    /** Reads, and writes nothing. */
    private interface Look {
        /** Reasons why not, with the remedies. */
        List<String> problems(Beginning on) throws SQLException;
    }

    private final Scope scope;
    private final Look look;

    Check(Scope scope, Look look) {
        this.scope = scope;
        this.look = look;
    }

    private static List<String> list(Optional<String> problem) {
        return problem.stream().toList();
    }

    /** Reasons why a change may not begin or continue, with the remedies. */
    public static List<String> problems(Beginning on) throws SQLException {
        List<String> problems = new ArrayList<>();
        for (Check check : values()) {
            if (check.scope.includes(on)) {
                problems.addAll(check.look.problems(on));
            }
        }
        return problems;
    }
}
