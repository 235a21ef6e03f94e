package dev.blobmark.mysql.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    private static Endpoint at(String host) {
        return new Endpoint(host, 3306, "root", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.53", "::1", "localhost", "0.0.0.0", "no-such-host.invalid"})
    void aServerOnThisHostHasAnAddress(String host) {
        assertThat(at(host).isRemote()).isFalse();
        assertThat(at(host).kind()).isEqualTo("address");
    }

    @Test
    void theAddressesOfThisHostAreNotRemote() throws Exception {
        List<String> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(address -> address.getHostAddress())
                .toList();
        assertThat(own)
                .isNotEmpty()
                .allSatisfy(host -> assertThat(at(host).isRemote()).isFalse());
    }

    /** Addresses for documentation, which no host has (RFC 5737, RFC 3849). */
    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.7", "2001:db8::7"})
    void aServerOnAnotherHostIsRemote(String host) {
        assertThat(at(host).isRemote()).isTrue();
        assertThat(at(host).kind()).isEqualTo("remote");
    }
}
