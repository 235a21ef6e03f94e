package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShownVariablesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "innodb_buffer_pool_size|134217728",
                "long_query_time|10.000000",
                "max_join_size|18446744073709551615",
                "innodb_file_per_table|ON",
                "have_ssl|YES",
                "sql_mode|STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
                "optimizer_switch|index_merge=on,index_merge_union=on",
                "transaction_isolation|REPEATABLE-READ",
                "character_set_server|utf8mb4",
                "collation_server|utf8mb4_0900_ai_ci",
                "innodb_flush_method|O_DIRECT",
                "binlog_format|ROW",
                "block_encryption_mode|aes-128-ecb",
                "tls_version|TLSv1.2,TLSv1.3",
                "thread_handling|one-thread-per-connection",
                "lower_case_table_names|0",
                "lc_time_names|en_US",
                "version|9.7.4-cluster",
                "maxmemory-policy|noeviction",
                "some_plugin_of_tomorrow_threads|8",
            })
    void whatBearsOnFiguresIsShown(String name, String value) {
        assertThat(ShownVariables.isShown(name, value)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hostname|db7",
                "hostname|1",
                "report_host|db7.example.org",
                "report_user|repl",
                "report_port|3306",
                "server_id|4711",
                "server_uuid|30e7daae-e6d3-11f1-9825-02fc00000001",
                "bind_address|10.0.0.7",
                "datadir|/srv/customers/mysql",
                "tmpdir|/srv/tmp",
                "log_bin_index|/srv/binlog.index",
                "general_log_file|db7.log",
                "ssl_cert|db7.pem",
                "init_connect|SET @who = 'acme'",
                "time_zone|Europe/Berlin",
                "wsrep_cluster_address|gcomm://db6,db7",
                "wsrep_node_name|db7",
                "wsrep_slave_threads|4",
                "group_replication_group_seeds|db6:33061,db7:33061",
                "group_replication_group_name|aaaaaaaa-e6d3-11f1-9825-02fc00000001",
                "group_replication_local_address|db7:33061",
                "authentication_ldap_simple_server_host|ldap.example.org",
                "authentication_ldap_simple_bind_base_dn|dc=example,dc=org",
                "audit_log_file|audit.log",
                "ndb_connectstring|10.0.0.7:1186",
                "proxy_protocol_networks|10.0.0.0",
                "some_plugin_of_tomorrow_format|10.0.0.7",
                "some_plugin_of_tomorrow_format|fd00::7",
                "some_plugin_of_tomorrow|acme",
                "some_plugin_of_tomorrow_method|/srv/acme",
                "cluster-announce-ip|10.0.0.7",
                "replicaof|db6 6379",
                "logfile|/var/log/redis.log",
                "masteruser|repl",
            })
    void whatNamesAServerIsNot(String name, String value) {
        assertThat(ShownVariables.isShown(name, value)).isFalse();
    }
}
