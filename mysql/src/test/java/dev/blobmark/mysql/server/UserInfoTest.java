package dev.blobmark.mysql.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UserInfoTest {

    @ParameterizedTest
    @CsvSource({
        "mysql:/app:Zebra-77@127.0.0.1:3306, mysql:/…@127.0.0.1:3306, true",
        "mysql:app:Zebra@h, mysql:…@h, false",
        "s3a://AKIA:Ze/b:r@@bucket/x.parquet#payload, s3a://…@bucket/x.parquet#payload, true",
        "delta:s3a://AKIA:Zebra@bucket/x#payload, delta:…@bucket/x#payload, true",
        "hdfs://name:9000/a@b.parquet, hdfs://…@b.parquet, false",
        "abfss://container@account/x.parquet, abfss://…@account/x.parquet, false",
        "mysqld:/opt/mysql, mysqld:/opt/mysql, false",
        "shop.orders, shop.orders, false"
    })
    void usersAndPasswordsAreFound(String address, String hidden, boolean hasPassword) {
        assertThat(UserInfo.hidden(address)).isEqualTo(hidden);
        assertThat(UserInfo.hasPassword(address)).isEqualTo(hasPassword);
    }
}
