package dev.blobmark.lab.run;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Decides which variables of a server a manifest has: those whose value is a number, a switch or a word of an
 * enumeration. Variables that identify the server, its host, its files, its users or other servers are left out, and so
 * is free text. The names are those of MariaDB 11.4, MySQL 8.0 to 9.7 and Redis 6 to 8.
 */
final class ShownVariables {

    private static final Pattern NUMBER = Pattern.compile("[-+]?\\d{1,20}(\\.\\d{1,20})?([eE][-+]?\\d{1,3})?");

    private static final Pattern SWITCH = Pattern.compile("(?i)on|off|yes|no|true|false|none|default|auto|disabled");

    /** Words of an enumeration and lists of them: {@code STRICT_TRANS_TABLES,NO_ZERO_DATE}, {@code index_merge=on}. */
    private static final Pattern WORDS = Pattern.compile("[A-Za-z0-9_.,:=+ -]*");

    /** Four numbers separated by points may be an address. */
    private static final Pattern ADDRESS = Pattern.compile(".*\\d\\.\\d+\\.\\d+\\.\\d.*|.*::.*");

    /** Variables whose words are shown. Words of other variables may be names of anything. */
    private static final Pattern HAS_WORDS = Pattern.compile(
            "(.*_)?(character_set_.*|collation(_.*)?|modes?|method|format|algorithms?|engine|isolation|handling|switch|type"
                    + "|verbosity|checksum|image|metadata|consistency|policy|buffering|priority|maturity|action|strategy"
                    + "|wait_point|report|conversions|distribution|slave_conflict_role|applier_conflict_role)"
                    + "|optimizer_trace(_features)?|(myisam|aria)_recover_options|binlog_row_value_options|have_.*|lc_messages"
                    + "|lc_time_names|(admin_)?tls_(version|ciphersuites)|log_output|log_timestamps|event_scheduler"
                    + "|delay_key_write|concurrent_insert|completion_type|use_stat_tables|aria_(sync_log_dir|group_commit)"
                    + "|innodb_(doublewrite|deadlock_report|instant_alter_column_allowed|change_buffering|encrypt_tables)"
                    + "|optimizer_use_condition_selectivity|terminology_use_previous|disabled_storage_engines|license"
                    + "|ndb_version(_string)?|version|version_comment|version_compile_(machine|os)|version_(malloc|ssl)_library"
                    + "|session_track_(gtids|transaction_info)");

    /** Variables that identify a server or one of its starts. They are never shown. */
    private static final Pattern IDENTIFIES = Pattern.compile(
            "(.*_)?(port|hostname|uuid|socket|pid_?file|uid|host|user|users|address|addresses|id|ids|seeds|name|names|url|pwd"
                    + "|password|token|secret|filekey|auth|bind|announce_.*)"
                    + "|gtid_.*|timestamp|pseudo_.*|rand_seed.*|identity|error_count|warning_count|.*_start_time"
                    + "|wsrep_.*|group_replication_(group|local|recovery|ip|view).*|log_error.*|relay_log.*"
                    + "|.*(basename|filename|_log_file|dir|dir_path|directory|directories|_key_path|file)"
                    + "|(admin_)?ssl_(ca|cert|key|capath|crl|crlpath)|ndb_(connectstring|nodeid|system_name)"
                    + "|init_(connect|file|replica|slave)");

    /** Variables that {@link #IDENTIFIES} matches, but that do not identify a server. */
    private static final Set<String> NOT_IDENTIFYING = Set.of("lc_time_names", "lower_case_table_names");

    private ShownVariables() {}

    static SortedMap<String, String> of(Map<String, String> variables) {
        SortedMap<String, String> shown = new TreeMap<>(variables);
        shown.entrySet().removeIf(variable -> !isShown(variable.getKey(), variable.getValue()));
        return shown;
    }

    /** @param name as the server writes it: with underscores in MySQL, and with dashes in Redis */
    static boolean isShown(String name, String value) {
        String normal = normal(name);
        if (IDENTIFIES.matcher(normal).matches() && !NOT_IDENTIFYING.contains(normal)) {
            return false;
        }
        return NUMBER.matcher(value).matches()
                || SWITCH.matcher(value).matches()
                || HAS_WORDS.matcher(normal).matches()
                        && WORDS.matcher(value).matches()
                        && !ADDRESS.matcher(value).matches();
    }

    /**
     * Whether a value of a variable that is not shown is a path or a name, and not a word that any message may have.
     */
    static boolean isName(String variable, String text) {
        boolean isPath = text.matches("/[^/]+/.+|[A-Za-z]:\\\\.+");
        boolean identifies = IDENTIFIES.matcher(normal(variable)).matches()
                && !NUMBER.matcher(text).matches()
                && !SWITCH.matcher(text).matches()
                && !text.equals("NULL")
                && !text.contains("/");
        return isPath || identifies && (text.length() > 2 || normal(variable).endsWith("hostname") && !text.isEmpty());
    }

    private static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replace('-', '_');
    }
}
