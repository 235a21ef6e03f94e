package dev.blobmark.lab.environment;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The variables that a study may set on an own server. A study may come from somebody else. It must not load code, run
 * statements, or read or write files outside the server's directory.
 */
public final class StudyVariables {

    /**
     * Prefixes that servers accept before the name of an option, any number of times. MySQL 9.7.4 and MariaDB 11.4.5
     * accept {@code loose_loose_plugin_dir}.
     */
    private static final Pattern PREFIXES = Pattern.compile("^((loose|skip|enable|disable|maximum|autoset)_)+");

    /** Options that load code, run statements or programs, or name files, hosts and accounts; without prefixes. */
    private static final Set<String> REFUSED = Set.of(
            "allow_suspicious_udfs",
            "authentication_policy",
            "character_sets_dir",
            "chroot",
            "core_file",
            "daemonize",
            "default_authentication_plugin",
            "early_plugin_load",
            "ft_stopword_file",
            "general_log_file",
            "innodb_buffer_pool_filename",
            "innodb_data_file_path",
            "innodb_directories",
            "innodb_doublewrite_dir",
            "innodb_temp_data_file_path",
            "innodb_temp_tablespaces_dir",
            "innodb_tmpdir",
            "log_basename",
            "log_bin_index",
            "log_isam",
            "log_slow_query_file",
            "log_tc",
            "mandatory_roles",
            "master_info_file",
            "persisted_globals_load",
            "proxy_protocol_networks",
            "redirect_url",
            "replica_load_tmpdir",
            "slave_load_tmpdir",
            "slow_query_log_file",
            "unix_socket",
            "upgrade",
            "validate_config");

    /** Beginnings of names of such options. */
    private static final Set<String> REFUSED_FAMILIES = Set.of(
            "admin_",
            "caching_sha2_password_",
            "component",
            "debug",
            "external_",
            "feedback",
            "init_",
            "initialize",
            "innodb_ft_aux_table",
            "innodb_ft_server_stopword",
            "innodb_ft_user_stopword",
            "innodb_redo_log_archive_dirs",
            "keyring",
            "log_error",
            "mysqlx",
            "plugin",
            "relay_log",
            "replicate_",
            "report_",
            "secure_",
            "sha256_password_",
            "ssl",
            "tls",
            "wsrep");

    /** Options that confine the server to its directory, its port and its only account. Only Blobmark sets them. */
    private static final Set<String> RESERVED = Set.of(
            "admin_address",
            "admin_port",
            "basedir",
            "bind_address",
            "bootstrap",
            "datadir",
            "extra_port",
            "grant_tables",
            "init_file",
            "initialize",
            "initialize_insecure",
            "innodb_buffer_pool_size",
            "innodb_data_home_dir",
            "innodb_fast_shutdown",
            "innodb_log_group_home_dir",
            "innodb_undo_directory",
            "lc_messages_dir",
            "log_error",
            "max_allowed_packet",
            "mysqlx",
            "mysqlx_bind_address",
            "mysqlx_port",
            "mysqlx_socket",
            "networking",
            "pid_file",
            "port",
            "secure_file_priv",
            "socket",
            "ssl",
            "ssl_cert",
            "ssl_key",
            "tls_version",
            "tmpdir",
            "user");

    /** Allowed options whose names are the beginning of a refused name. No server takes them for an abbreviation. */
    private static final Set<String> NOT_ABBREVIATIONS =
            Set.of("general_log", "slow_query_log", "log_bin", "log_slow_query");

    /** Numbers, switches, words and lists of them, but no paths, statements or addresses. */
    private static final Pattern VALUE = Pattern.compile("[\\w.,:=+ -]*");

    private StudyVariables() {}

    /** The name without prefixes. */
    static String bare(String name) {
        return PREFIXES.matcher(name).replaceFirst("");
    }

    /**
     * Checks a variable and its value.
     *
     * @return the value
     * @throws IllegalArgumentException if a study may not set the variable, or not to this value
     */
    static String value(String name, String value) {
        String bare = bare(name(name));
        if (isRefused(bare)) {
            throw new IllegalArgumentException("the server variable " + name
                    + " may load code, run statements or name files, hosts or accounts, and a study may not set it;"
                    + " leave it out, or use a server of your own");
        }
        if (!VALUE.matcher(value).matches() || value.contains("..")) {
            throw new IllegalArgumentException("'" + value + "' is not a valid value of the server variable " + name
                    + " in a study: it may have letters, digits, spaces and . , : = + - _, and no path; leave it out,"
                    + " or use a server of your own");
        }
        return line(name, value);
    }

    /** Also refuses abbreviations. MariaDB 11.4.5 accepts any that is unique, and MySQL 9.7.4 accepts none. */
    private static boolean isRefused(String bare) {
        return Stream.of(REFUSED, REFUSED_FAMILIES, RESERVED)
                        .flatMap(Set::stream)
                        .anyMatch(refused -> refused.startsWith(bare) && !NOT_ABBREVIATIONS.contains(bare))
                || REFUSED_FAMILIES.stream().anyMatch(bare::startsWith);
    }

    /**
     * The name in lower case, with underscores.
     *
     * @throws IllegalArgumentException if it is not a valid name, or Blobmark sets the variable itself
     */
    public static String name(String name) {
        String normal = name.toLowerCase(Locale.ROOT).replace('-', '_');
        if (!normal.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a name of a server variable; write letters, digits and underscores");
        }
        if (RESERVED.contains(bare(normal))) {
            throw new IllegalArgumentException("the server variable " + name
                    + " is set by Blobmark for the embedded server; leave it out, or use a server of your own");
        }
        return normal;
    }

    /** @throws IllegalArgumentException if the value is not one line of text */
    public static String line(String name, String value) {
        if (value.isEmpty() || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the value of the server variable " + name + " must be one line of text, and must not be empty");
        }
        return value;
    }
}
