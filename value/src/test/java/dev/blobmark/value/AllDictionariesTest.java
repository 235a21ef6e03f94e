package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AllDictionariesTest {

    private static final ValueDictionary ONE = ValueDictionary.of("a dictionary of some bytes".getBytes());
    private static final ValueDictionary OTHER = ValueDictionary.of("another one of other bytes".getBytes());

    private final List<String> called = new ArrayList<>();

    private final class Recorded implements Dictionaries {

        private final String name;
        private final ValueDictionary dictionary;
        private final boolean isWithdrawn;

        Recorded(String name, ValueDictionary dictionary, boolean isWithdrawn) {
            this.name = name;
            this.dictionary = dictionary;
            this.isWithdrawn = isWithdrawn;
        }

        @Override
        public Optional<ValueDictionary> find(int number) {
            return Optional.of(dictionary).filter(it -> it.number() == number);
        }

        @Override
        public void onUse(int number) {
            called.add(name + " used " + ValueDictionary.name(number));
        }

        @Override
        public Set<Integer> numbers() {
            return Set.of(dictionary.number());
        }

        @Override
        public void reload() {
            called.add(name + " reloaded");
            throw new DictionaryException(name);
        }

        @Override
        public boolean isWithdrawn(int number) {
            return isWithdrawn || number != dictionary.number();
        }
    }

    @Test
    void thoseOfEachPlaceAreFoundAndCounted() {
        Dictionaries all = Dictionaries.all(new Recorded("a", ONE, false), new Recorded("b", OTHER, false));

        assertThat(all.find(ONE.number())).containsSame(ONE);
        assertThat(all.find(OTHER.number())).containsSame(OTHER);
        assertThat(all.find(1)).isEmpty();
        assertThat(all.numbers()).containsExactlyInAnyOrder(ONE.number(), OTHER.number());
    }

    /** Without a checksum, a value would be decoded with the wrong one. */
    @Test
    void differentOnesOfOneNumberAreRefused() {
        Map<Integer, ValueDictionary> seen = new HashMap<>();
        Random random = new Random(1);
        ValueDictionary one = null;
        ValueDictionary other = null;
        while (one == null) {
            byte[] bytes = new byte[64];
            random.nextBytes(bytes);
            other = ValueDictionary.of(bytes);
            one = seen.put(other.number(), other);
        }
        Dictionaries all = Dictionaries.all(new Recorded("a", one, false), new Recorded("b", other, false));
        int number = one.number();

        assertThatThrownBy(() -> all.find(number))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("different dictionaries of the number");
        assertThat(Dictionaries.all(Dictionaries.of(one), Dictionaries.of(ValueDictionary.of(one.bytes())))
                        .find(number))
                .isPresent();
    }

    /** The same one may be deleted in a table, and not in another. */
    @Test
    void eachPlaceIsToldWhatIsUsed() {
        Dictionaries.all(new Recorded("a", ONE, false), new Recorded("b", ONE, false))
                .onUse(ONE.number());

        assertThat(called)
                .containsExactly(
                        "a used " + ValueDictionary.name(ONE.number()), "b used " + ValueDictionary.name(ONE.number()));
    }

    @Test
    void oneIsWithdrawnIfItIsInAnyOfThePlacesThatHaveIt() {
        Recorded has = new Recorded("a", ONE, false);

        assertThat(Dictionaries.all(has, new Recorded("b", OTHER, false)).isWithdrawn(ONE.number()))
                .isFalse();
        assertThat(Dictionaries.all(has, new Recorded("b", ONE, true)).isWithdrawn(ONE.number()))
                .isTrue();
        assertThat(Dictionaries.all(has).isWithdrawn(OTHER.number())).isTrue();
    }

    @Test
    void allAreReloadedEvenIfOneFails() {
        Dictionaries all = Dictionaries.all(new Recorded("a", ONE, false), new Recorded("b", OTHER, false));

        assertThatThrownBy(all::reload).isInstanceOf(DictionaryException.class).hasMessage("a");
        assertThat(called).containsExactly("a reloaded", "b reloaded");
    }
}
