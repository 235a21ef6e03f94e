package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0          | 0",
                "0-3        | 0-3",
                "3,1,0      | 0-1,3",
                "0,1,2,8,10 | 0-2,8,10",
                "5-5        | 5",
                "0-1,1-4,7  | 0-4,7",
                "8191       | 8191"
            })
    void isReadAndWrittenAsTheKernelDoes(String text, String canonical) {
        assertThat(CpuList.parse(text)).hasToString(canonical);
        assertThat(CpuList.parse(canonical)).isEqualTo(CpuList.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "-1", "1-", "3-1", "0,", "0 1", "8192", "0-99999", "1:2", "0x1"})
    void whatIsNoListIsNamed(String text) {
        assertThatThrownBy(() -> CpuList.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("'.*' is not a processor's number or a range such as 0-3");
    }

    @Test
    void anEmptyListIsNone() {
        assertThatThrownBy(() -> new CpuList(new TreeSet<>())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void containsWhatIsAllInIt() {
        assertThat(CpuList.parse("0-3").containsAll(CpuList.parse("1,3"))).isTrue();
        assertThat(CpuList.parse("0-3").containsAll(CpuList.parse("3-4"))).isFalse();
    }
}
