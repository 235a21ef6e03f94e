package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataArgumentTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.createDirectory(directory.resolve("photos"));
        write("orders.jsonl", "{\"id\":1}\n{\"id\":2}\n");
        write("orders.NDJSON", "{\"id\":1}\n");
        write("lines.json", "{\"id\":1}\n\n[2]\n");
        write("lines.log", "1\n2\n");
        write("array.json", "[\n  {\"id\":1}\n]\n");
        write("one.json", "{\n  \"id\": 1\n}\n");
        write("empty.json", "");
        write("table.csv", "id,doc\n1,x\n");
        write("photo.jpg", "\u00ff\u00d8");
        write("orders.jsonl.gz", "");
        write("a,b.jsonl", "1\n2\n");
        write("shop.orders.doc", "1\n2\n");
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(directory.resolve(name), content);
    }

    private String levels(String argument, boolean isOnServer) {
        return DataArgument.levels(argument.replace("DIR", directory.toString()), isOnServer)
                .replace(directory.toString(), "DIR");
    }

    @ParameterizedTest
    @CsvSource({
        "sites, sites",
        "random:62, random:62",
        "dir:nowhere, dir:nowhere",
        "jsonl:nowhere.jsonl#/a, jsonl:nowhere.jsonl#/a",
        "table:shop.orders.doc, table:shop.orders.doc",
        "DIR/photos, dir:DIR/photos",
        "DIR, dir:DIR",
        "DIR/orders.jsonl, jsonl:DIR/orders.jsonl",
        "DIR/orders.NDJSON, jsonl:DIR/orders.NDJSON",
        "DIR/orders.jsonl#/id, jsonl:DIR/orders.jsonl#/id",
        "DIR/orders.jsonl#base64:/id, jsonl:DIR/orders.jsonl#base64:/id",
        "DIR/lines.json, jsonl:DIR/lines.json",
        "DIR/lines.log, jsonl:DIR/lines.log",
        "DIR/shop.orders.doc, jsonl:DIR/shop.orders.doc"
    })
    void aPathIsWhatItsFileIs(String argument, String levels) {
        assertThat(levels(argument, false)).isEqualTo(levels);
        assertThat(levels(argument, true)).isEqualTo(levels);
    }

    @Test
    void severalAreSeparatedByCommas() {
        assertThat(levels("DIR/photos, DIR/orders.jsonl,sites", false))
                .isEqualTo("dir:DIR/photos,jsonl:DIR/orders.jsonl,sites");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop.orders.doc", "`my.shop`.`or/ders`.`do``c`", "s.t.c-1"})
    void threeNamesAreAColumnIfThereIsAServer(String column) {
        assertThat(levels(column, true)).isEqualTo("table:" + column);
        assertThatThrownBy(() -> levels(column, false))
                .hasMessage("'" + column
                        + "' is not a file, and a column of a table needs the server that has it; add --server"
                        + " mysql://USER@HOST:PORT/, or --data-server to measure on another one");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            DIR/ordres.jsonl     | there is no 'DIR/ordres.jsonl'; did you mean 'DIR/orders.jsonl'?
            DIR/fotos            | there is no 'DIR/fotos'; did you mean 'DIR/photos'?
            nowhere/at.all/x.doc | there is no 'nowhere/at.all/x.doc'; --data takes a file of JSON lines (.jsonl), a directory
            a.b.jsonl            | there is no 'a.b.jsonl'; --data takes a file
            DIR/table.csv        | 'DIR/table.csv' is a single file, and its lines are not JSON
            DIR/photo.jpg        | 'DIR/photo.jpg' is a single file, and its lines are not JSON
            DIR/empty.json       | 'DIR/empty.json' is a single file, and its lines are not JSON
            DIR/array.json       | 'DIR/array.json' is one JSON array
            DIR/one.json         | 'DIR/one.json' is one JSON document
            DIR/orders.jsonl.gz  | 'DIR/orders.jsonl.gz' is compressed; unpack it first
            DIR/photos#/a        | 'DIR/photos' is a directory, and a pointer selects a part of lines; leave out '#/a'
            DIR/a,b.jsonl        | 'DIR/a,b.jsonl' has a comma
            site                 | there is no dataset 'site'; did you mean sites?
            table                | there is no dataset 'table'; did you mean table:DB.TABLE.COLUMN?
            dri:photos           | there is no dataset 'dri:photos'; did you mean dir:PATH?
            """)
    void whatIsNoneIsSaidSo(String argument, String says) {
        for (boolean isOnServer : new boolean[] {false, true}) {
            assertThatThrownBy(() -> levels(argument, isOnServer))
                    .isInstanceOf(IllegalArgumentException.class)
                    .extracting(e -> e.getMessage().replace(directory.toString(), "DIR"))
                    .asString()
                    .startsWith(says);
        }
    }

    @Test
    void twoNamesOnAServerAreNoColumn() {
        assertThatThrownBy(() -> levels("orders.doc", true))
                .hasMessageStartingWith(
                        "'orders.doc' is neither a file nor a column of a table; write SCHEMA.TABLE.COLUMN");
    }
}
