package dev.blobmark.reencode.world;

import java.util.List;

/**
 * A guard that is taken out of the production code.
 *
 * @param name what is wrong then
 * @param file under {@code dev/blobmark/reencode}
 * @param changes texts and what replaces them
 */
record Defect(String name, String file, List<Change> changes) {

    record Change(String from, String to) {}

    private static Defect of(String name, String file, String... texts) {
        Change[] changes = new Change[texts.length / 2];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = new Change(texts[2 * i], texts[2 * i + 1]);
        }
        return new Defect(name, file, List.of(changes));
    }

    /** Each is found within 1,000 seeds. */
    static final List<Defect> ALL = List.of(
            of(
                    "a changed row is read again without a lock (spirit #746)",
                    "copy/ShadowCopy.java",
                    "again.findAll(keys).stream()",
                    "unlocked(keys).stream()",
                    "        /** Empty if not all rows could be written. */",
                    "        private List<Row> unlocked(List<List<Object>> keys) throws SQLException {\n"
                            + "            List<Row> rows = new java.util.ArrayList<>();\n"
                            + "            for (List<Object> key : keys) { again.find(key).ifPresent(rows::add); }\n"
                            + "            return rows;\n        }\n"),
            of(
                    "changes of rows that are not copied yet are discarded (spirit #1080)",
                    "copy/ShadowCopy.java",
                    "pending.addAll(with.feed().poll(writing, most));",
                    "for (List<Object> key : with.feed().poll(writing, most)) { if (state.copy().orElseThrow().isComplete()"
                            + " || state.position().isPresent() && ((Comparable) key.get(0)).compareTo("
                            + "work.key().parse(state.position().get()).get(0)) <= 0) { pending.add(key); } }"),
            of(
                    "keys are forgotten when a row is locked",
                    "copy/ShadowCopy.java",
                    "                    if (!TableLock.isRepeated(e)) {\n                        throw e;\n                    }\n",
                    "                    if (!TableLock.isRepeated(e)) {\n                        throw e;\n                    }\n"
                            + "                    pending.clear();\n"),
            of(
                    "nothing is dealt with under the lock (pg-osc #25)",
                    "cutover/LastMoment.java",
                    "ShadowCopy.CaughtUp done = last.catchUp(state, ShadowCopy.MOST_LOCKED_NANOS);",
                    "ShadowCopy.CaughtUp done = new ShadowCopy.CaughtUp(state, true);"),
            of(
                    "the time under the lock is over, and it is exchanged all the same",
                    "cutover/LastMoment.java",
                    "if (!done.isDone()) {",
                    "if (done.state() == null) {"),
            of(
                    "rows that were deleted stay in the new table (gh-ost #1142)",
                    "copy/ShadowCopy.java",
                    "writing.fresh().replace(keys, rows);",
                    "writing.fresh().replace(rows.stream().map(row -> row.row().key()).toList(), rows);"),
            of(
                    "all before a place counts as polled while keys are in the queue",
                    "change/LogFeed.java",
                    "|| before.compareTo(place) >= 0 && queue.isEmpty();",
                    "|| before.compareTo(place) >= 0;"),
            of(
                    "the position is that of the reader, not of what was dealt with (spirit #274)",
                    "change/LogFeed.java",
                    "        return Optional.of(polled);",
                    "        return Optional.of(new LogPlace(read.toString(), begin.server(), readCreatedSeconds));"),
            of(
                    "a failure of the reader is not looked at (vitess #19008)",
                    "change/LogFeed.java",
                    "if (failed.isEmpty() || !queue.isEmpty()) {",
                    "if (failed.isEmpty() || queue.size() >= 0) {"),
            of(
                    "an error of the reader counts as the end of the log (gh-ost #444)",
                    "change/LogFeed.java",
                    "        check();\n        LogPosition place",
                    "        if (failure.isPresent() && queue.isEmpty()) {\n            return true;\n        }\n        LogPosition place",
                    "                check();\n                break;",
                    "                break;"),
            of(
                    "an event of an unknown type is skipped (osheroff #23)",
                    "binlog/TableChanges.java",
                    ".orElseThrow(() -> new IncompleteLogException(\n                        \"the log has an event of the type \" + header.type() + \", which is not known\"))",
                    ".orElse(EventType.IGNORABLE)"),
            of(
                    "a statement that changes rows is ignored (debezium #3319, gh-ost #991)",
                    "binlog/TableChanges.java",
                    "if (meaning instanceof Statement.Meaning.Foreign foreign) {",
                    "if (meaning instanceof Statement.Meaning.Foreign foreign && sql.length == 0) {"),
            of(
                    "of an UPDATE only the key before is taken (gh-ost #519)",
                    "binlog/KeyReader.java",
                    "if (!after.equals(key)) {",
                    "if (after.isEmpty()) {"),
            of(
                    "of an UPDATE only the key after is taken (spirit #417)",
                    "binlog/KeyReader.java",
                    "            keys.add(key);\n            if (isUpdate) {",
                    "            if (!isUpdate) {\n                keys.add(key);\n            }\n            if (isUpdate) {",
                    "if (!after.equals(key)) {",
                    "if (!after.isEmpty()) {"),
            of(
                    "the tables are not looked at under the lock",
                    "cutover/LastMoment.java",
                    "        requireSame();\n",
                    ""),
            of(
                    "the definition of the table is not compared",
                    "cutover/LastMoment.java",
                    "if (!state.copy().orElseThrow().ddl().equals(opened.definition())) {",
                    "if (opened.definition() == null) {",
                    "        if (!differences.isEmpty()) {",
                    "        if (differences == null) {"),
            of(
                    "the locks are given back before the tables are renamed (gh-ost #653)",
                    "cutover/Exchange.java",
                    "return last.run() && isDone(tables::rename);",
                    "if (!last.run()) { return false; } tables.unlock(); return isDone(tables::rename);"),
            of(
                    "the placeholder is not looked at under the lock",
                    "cutover/Exchange.java",
                    "boolean isSentry = tables.isSentryLocked();",
                    "boolean isSentry = true;",
                    "            if (!tables.isSentry()) {\n                throw isTaken();\n            }\n",
                    ""),
            of(
                    "a RENAME that was ended counts as done (gh-ost #1449)",
                    "cutover/Exchange.java",
                    "        return isRenamed;\n    }\n\n    private CopyEndedException",
                    "        return isReady;\n    }\n\n    private CopyEndedException"),
            of(
                    "the placeholder is dropped before all changes are dealt with",
                    "cutover/Exchange.java",
                    "isReady = begun.isWaiting() && last.run();\n                    if (isReady) {\n                        tables.dropSentry();\n                    }",
                    "isReady = begun.isWaiting();\n                    tables.dropSentry();\n                    tables.unlock();\n                    isReady &= last.run();"),
            of(
                    "after a crash in the exchange, the new table is taken for the former one (gh-ost #82)",
                    "cutover/CopyTables.java",
                    "Optional.of(tables.get().fresh())) ? Where.FRESH : Where.UNKNOWN;",
                    "Optional.of(tables.get().fresh())) ? Where.FORMER : Where.UNKNOWN;"),
            of(
                    "the tables are not compared before the exchange (spirit #476)",
                    "cutover/Copying.java",
                    "state = copy.compare(state, opened.lock(), both);",
                    "opened.lock();"),
            of(
                    "other columns than the value are not compared",
                    "copy/EqualRows.java",
                    "if (!tables.othersOfFormer(after, last).others().equals(ofFresh.others())) {",
                    "if (ofFresh == null) {"),
            of(
                    "rows behind the last one of the former table are not looked for",
                    "copy/ShadowCopy.java",
                    "        equal.requireEnd(after);\n",
                    "",
                    "if (!found.equals(expected)) {",
                    "if (expected == null) {"),
            of(
                    "the tables are compared as they are at two moments",
                    "copy/ShadowCopy.java",
                    "                if (isDone) {\n                    tables.renew();\n                }\n            } finally {\n                lock.unlock();\n            }",
                    "            } finally {\n                lock.unlock();\n            }\n            if (isDone) {\n                tables.renew();\n            }"),
            of(
                    "triggers: the end is reached before the last number was polled",
                    "change/TriggerFeed.java",
                    "return last >= Long.parseLong(end);",
                    "return true;"),
            of(
                    "triggers: the number that was polled last is kept from the time before",
                    "change/TriggerFeed.java",
                    "        last = 0;\n",
                    ""),
            of(
                    "an exchange that did not happen is believed to have happened",
                    "cutover/CopyTables.java",
                    "        if (now.equals(Optional.of(tables.get().former()))) {\n            return Where.FORMER;\n        }",
                    "        if (now.equals(Optional.of(tables.get().former()))) {\n            return state.copy().orElseThrow().isExchanging() ? Where.FRESH : Where.FORMER;\n        }"));

    /** They need several things at once: within some ten thousand seeds. */
    static final List<Defect> RARE = List.of(
            of(
                    "triggers are not looked for under the lock",
                    "cutover/LastMoment.java",
                    "tables.requireTriggers(state, server.triggers());",
                    "server.triggers();"),
            of(
                    "the order of commits is taken for that of the log",
                    "cutover/Copying.java",
                    "if (!server.isLogOrdered()) {",
                    "if (column == null) {"),
            of(
                    "prepared transactions are not waited for when the copy begins (debezium #154)",
                    "cutover/Copying.java",
                    "Optional<String> prepared = server.awaitPrepared(PATIENCE_NANOS);",
                    "Optional<String> prepared = Optional.empty();"),
            of(
                    "prepared transactions are not waited for before the exchange (spirit #156)",
                    "cutover/LastMoment.java",
                    "return prepared.isEmpty();",
                    "return true;"),
            of(
                    "whether the log is the same is not asked",
                    "cutover/LastMoment.java",
                    "        last.requireCurrent();\n",
                    "",
                    "        opened.locked().commit();\n",
                    "        opened.locked().commit();\n"),
            of(
                    "a log that was reset is continued by its name",
                    "change/LogPlace.java",
                    "if (createdSeconds != fileCreatedSeconds) {",
                    "if (createdSeconds < 0) {"));
}
