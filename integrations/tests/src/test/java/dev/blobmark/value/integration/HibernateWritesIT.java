package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.jpa.ValueAttributeConverter;
import dev.blobmark.value.jpa.ValueType;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.MappingException;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;
import org.hibernate.envers.AuditOverride;
import org.hibernate.envers.AuditOverrides;
import org.hibernate.envers.Audited;
import org.hibernate.envers.NotAudited;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Hibernate writes by statements of HQL, and what it compares. */
class HibernateWritesIT {

    private static final ValueFormat FRAMES =
            ValueFormat.builder().reads(Legacy.NONE).writes("deflate:6").build();
    private static final ValueFormat RAW =
            ValueFormat.builder().writes("deflate:6").build();

    /** Of a column in which all values have a frame. */
    @Converter
    public static class FramesConverter extends ValueAttributeConverter {
        public FramesConverter() {
            super(FRAMES);
        }
    }

    /** The same as a type. */
    public static class FramesType extends ValueType {
        public FramesType() {
            super(FRAMES);
        }
    }

    /** Of a column in which raw values are. */
    @Converter
    public static class RawConverter extends ValueAttributeConverter {
        public RawConverter() {
            super(RAW);
        }
    }

    /** The same as a type. */
    public static class RawType extends ValueType {
        public RawType() {
            super(RAW);
        }
    }

    /** With a converter. */
    @Entity(name = "Converted")
    @Table(name = "written")
    public static class Converted {
        @Id
        int id;

        String note;

        @Convert(converter = FramesConverter.class)
        byte[] payload;
    }

    /** With a type. */
    @Entity(name = "Typed")
    @Table(name = "written")
    public static class Typed {
        @Id
        int id;

        String note;

        @Type(FramesType.class)
        byte[] payload;
    }

    /** Whose columns are all compared. */
    @Entity(name = "TypedAll")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @DynamicUpdate
    public static class TypedAll {
        @Id
        int id;

        String note;

        @Type(RawType.class)
        byte[] payload;
    }

    /** Whose changed columns are compared. */
    @Entity(name = "ConvertedDirty")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @DynamicUpdate
    public static class ConvertedDirty {
        @Id
        int id;

        String note;

        @Convert(converter = RawConverter.class)
        byte[] payload;
    }

    /** A part of an entity. */
    @Embeddable
    public static class Part {
        String note;

        @Convert(converter = RawConverter.class)
        @Column(length = 60_000)
        byte[] payload;
    }

    /** Whose columns are all compared, those of its part too. */
    @Entity(name = "EmbeddedAll")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @DynamicUpdate
    public static class EmbeddedAll {
        @Id
        int id;

        @Embedded
        Part part;
    }

    /** Whose other columns are compared. */
    @Entity(name = "ExcludedAll")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @DynamicUpdate
    public static class ExcludedAll {
        @Id
        int id;

        String note;

        @OptimisticLock(excluded = true)
        @Type(RawType.class)
        byte[] payload;
    }

    /** The same for changed columns. */
    @Entity(name = "ExcludedDirty")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @DynamicUpdate
    public static class ExcludedDirty {
        @Id
        int id;

        String note;

        @OptimisticLock(excluded = true)
        @Convert(converter = RawConverter.class)
        byte[] payload;
    }

    /** Whose attribute is excluded, which has no effect in a part of an entity. */
    @Embeddable
    public static class PartWithExclusion {
        String note;

        @OptimisticLock(excluded = true)
        @Convert(converter = RawConverter.class)
        byte[] payload;
    }

    /** With such a part. */
    @Entity(name = "ExcludedWithinAll")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @DynamicUpdate
    public static class ExcludedWithinAll {
        @Id
        int id;

        @Embedded
        PartWithExclusion part;
    }

    /** The same for changed columns. */
    @Entity(name = "ExcludedWithinDirty")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @DynamicUpdate
    public static class ExcludedWithinDirty {
        @Id
        int id;

        @Embedded
        PartWithExclusion part;
    }

    /** With a part that is excluded as a whole. */
    @Entity(name = "ExcludedPartAll")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @DynamicUpdate
    public static class ExcludedPartAll {
        @Id
        int id;

        @OptimisticLock(excluded = true)
        @Embedded
        Part part = new Part();
    }

    /** The same for changed columns. */
    @Entity(name = "ExcludedPartDirty")
    @Table(name = "written")
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @DynamicUpdate
    public static class ExcludedPartDirty {
        @Id
        int id;

        @OptimisticLock(excluded = true)
        @Embedded
        Part part = new Part();
    }

    /** An element of collections whose columns are compared. */
    @Embeddable
    public static class Element {
        @Column(nullable = false)
        String note;

        @Convert(converter = RawConverter.class)
        @Column(length = 60_000)
        byte[] payload;
    }

    /** With a set of elements. */
    @Entity(name = "SetOfElements")
    @Table(name = "written")
    public static class SetOfElements {
        @Id
        int id;

        @ElementCollection
        Set<Element> elements;
    }

    /** With a set of encoded values. */
    @Entity(name = "SetOfValues")
    @Table(name = "written")
    public static class SetOfValues {
        @Id
        int id;

        @ElementCollection
        @Convert(converter = RawConverter.class)
        Set<byte[]> elements;
    }

    /** With a map whose keys are encoded. */
    @Entity(name = "MapByValue")
    @Table(name = "written")
    public static class MapByValue {
        @Id
        int id;

        @ElementCollection
        @Convert(converter = RawConverter.class, attributeName = "key")
        Map<byte[], String> elements;
    }

    /** Whose identifier is encoded. */
    @Entity(name = "EncodedId")
    @Table(name = "written")
    public static class EncodedId {
        @Id
        @Type(RawType.class)
        byte[] payload;
    }

    /** Whose natural identifier is encoded. */
    @Entity(name = "EncodedNaturalId")
    @Table(name = "written")
    public static class EncodedNaturalId {
        @Id
        int id;

        @NaturalId
        @Type(RawType.class)
        byte[] payload;
    }

    /** Whose rows are joined by an encoded attribute. */
    @Entity(name = "JoinedByValue")
    @Table(name = "joined")
    public static class JoinedByValue implements Serializable {
        @Id
        int id;

        @ManyToOne
        @JoinColumn(name = "parent", referencedColumnName = "payload")
        Typed parent;
    }

    /** An entity that others refer to by an encoded attribute. */
    @Entity(name = "Target")
    @Table(name = "target")
    public static class Target implements Serializable {
        @Id
        int id;

        @Type(RawType.class)
        @Column(length = 500, unique = true)
        byte[] payload;
    }

    /** Whose children are joined by an encoded attribute. */
    @Entity(name = "ChildrenByValue")
    @Table(name = "joined")
    public static class ChildrenByValue implements Serializable {
        @Id
        int id;

        @Convert(converter = RawConverter.class)
        @Column(length = 500, unique = true)
        byte[] payload;

        @OneToMany
        @JoinColumn(name = "parent", referencedColumnName = "payload")
        List<Target> joined;
    }

    /** Whose elements are joined by an encoded attribute. */
    @Entity(name = "ElementsByValue")
    @Table(name = "joined")
    public static class ElementsByValue implements Serializable {
        @Id
        int id;

        @Type(RawType.class)
        @Column(length = 500, unique = true)
        byte[] payload;

        @ElementCollection
        @CollectionTable(
                name = "joined_names",
                joinColumns = @JoinColumn(name = "parent", referencedColumnName = "payload"))
        List<String> joined;
    }

    /** Whose join table refers to an encoded attribute of itself. */
    @Entity(name = "ManyFromValue")
    @Table(name = "joined")
    public static class ManyFromValue implements Serializable {
        @Id
        int id;

        @Type(RawType.class)
        @Column(length = 500, unique = true)
        byte[] payload;

        @ManyToMany
        @JoinTable(
                name = "joined_target",
                joinColumns = @JoinColumn(name = "parent", referencedColumnName = "payload"),
                inverseJoinColumns = @JoinColumn(name = "target"))
        List<Target> joined;
    }

    /** Whose join table refers to an encoded attribute of the other entity. */
    @Entity(name = "ManyToValue")
    @Table(name = "joined")
    public static class ManyToValue {
        @Id
        int id;

        @ManyToMany
        @JoinTable(
                name = "joined_target",
                joinColumns = @JoinColumn(name = "parent"),
                inverseJoinColumns = @JoinColumn(name = "target", referencedColumnName = "payload"))
        List<Target> joined;
    }

    /** A part that refers to an encoded attribute. */
    @Embeddable
    public static class Reference {
        String note;

        @ManyToOne
        @JoinColumn(name = "target", referencedColumnName = "payload")
        Target target;
    }

    /** A part with such a part. */
    @Embeddable
    public static class Outer {
        String other;

        @Embedded
        Reference reference;
    }

    /** With a part in a part that refers to an encoded attribute. */
    @Entity(name = "PartByValue")
    @Table(name = "joined")
    public static class PartByValue {
        @Id
        int id;

        @Embedded
        Outer joined;
    }

    /** With elements that refer to an encoded attribute. */
    @Entity(name = "ElementsToValue")
    @Table(name = "joined")
    public static class ElementsToValue {
        @Id
        int id;

        @ElementCollection
        @OrderColumn
        List<Outer> joined;
    }

    /** With keys that refer to an encoded attribute. */
    @Entity(name = "KeysToValue")
    @Table(name = "joined")
    public static class KeysToValue {
        @Id
        int id;

        @ElementCollection
        Map<Reference, String> joined;
    }

    /** Whose rows are divided by an encoded attribute. */
    @Entity(name = "Divided")
    @Table(name = "written")
    public static class Divided {
        @Id
        int id;

        @PartitionKey
        @Convert(converter = RawConverter.class)
        byte[] payload;
    }

    /** A part by which rows are divided. */
    @Embeddable
    public static class DividingPart {
        String note;

        @PartitionKey
        @Convert(converter = RawConverter.class)
        byte[] payload;
    }

    /** The same in a part. */
    @Entity(name = "DividedByPart")
    @Table(name = "written")
    public static class DividedByPart {
        @Id
        int id;

        @Embedded
        DividingPart part;
    }

    /** Elements that are divided by an encoded attribute. */
    @Entity(name = "DividedElements")
    @Table(name = "written")
    public static class DividedElements {
        @Id
        int id;

        @ElementCollection
        @OrderColumn
        List<DividingPart> elements;
    }

    /** Whose tenant is encoded. */
    @Entity(name = "TenantByField")
    @Table(name = "written")
    public static class TenantByField {
        @Id
        int id;

        @TenantId
        @Type(RawType.class)
        byte[] payload;
    }

    /** The same with annotations of getters. */
    @Entity(name = "TenantByGetter")
    @Table(name = "written")
    public static class TenantByGetter {
        private int id;
        private byte[] payload;

        @Id
        public int getId() {
            return id;
        }

        public void setId(int id) {
            this.id = id;
        }

        @TenantId
        @Type(RawType.class)
        public byte[] getPayload() {
            return payload;
        }

        public void setPayload(byte[] payload) {
            this.payload = payload;
        }
    }

    /** With collections whose rows are found by something else. */
    @Entity(name = "FoundElements")
    @Table(name = "found")
    public static class FoundElements {
        @Id
        int id;

        @ElementCollection
        @OrderColumn
        List<Element> inOrder;

        @ElementCollection
        List<Element> writtenAgain;

        @ElementCollection
        Map<String, Element> byName;

        @ElementCollection
        Set<Part> ofNullableColumns;
    }

    /** An element without an encoded attribute, and with one that is computed. */
    @Embeddable
    public static class Computed {
        String note;

        @Formula("upper(note)")
        String upper;
    }

    /** With a set without encoded attributes. */
    @Entity(name = "SetOfComputed")
    @Table(name = "found")
    public static class SetOfComputed {
        @Id
        int id;

        @ElementCollection
        Set<Computed> elements;
    }

    /** Whose elements Envers audits. */
    @Audited
    @Entity(name = "AuditedElements")
    @Table(name = "found")
    public static class AuditedElements {
        @Id
        int id;

        @ElementCollection
        @OrderColumn
        List<Element> elements;
    }

    /** Whose elements Envers audits by an annotation of the attribute. */
    @Entity(name = "AuditedAttribute")
    @Table(name = "found")
    public static class AuditedAttribute {
        @Id
        int id;

        @Audited
        @ElementCollection
        @OrderColumn
        List<Element> elements;
    }

    /** Whose elements Envers does not audit. */
    @Audited
    @Entity(name = "ElementsThatAreNotAudited")
    @Table(name = "found")
    public static class ElementsThatAreNotAudited {
        @Id
        int id;

        @Audited
        @ElementCollection
        List<String> others;

        @NotAudited
        @ElementCollection
        @OrderColumn
        List<Element> elements;

        @Convert(converter = RawConverter.class)
        @Column(length = 60_000)
        byte[] payload;
    }

    /** Whose elements Envers does not audit by itself. An override changes that. */
    @MappedSuperclass
    public static class NotAuditedBase {
        @Id
        int id;

        String note;

        @NotAudited
        @ElementCollection
        @OrderColumn
        List<Element> elements;
    }

    /** Whose elements are audited after all. */
    @Audited
    @AuditOverride(forClass = NotAuditedBase.class, name = "elements", isAudited = true)
    @Entity(name = "AuditedByOverride")
    @Table(name = "found")
    public static class AuditedByOverride extends NotAuditedBase {}

    /** The same among others. */
    @AuditOverrides({
        @AuditOverride(forClass = NotAuditedBase.class, name = "note", isAudited = true),
        @AuditOverride(forClass = NotAuditedBase.class, name = "elements", isAudited = true)
    })
    @Entity(name = "AuditedByOverrides")
    @Table(name = "found")
    public static class AuditedByOverrides extends NotAuditedBase {}

    /** The same by a class between. */
    @MappedSuperclass
    @AuditOverride(forClass = NotAuditedBase.class, name = "elements", isAudited = true)
    public static class OverridingBase extends NotAuditedBase {}

    /** With that. */
    @Audited
    @Entity(name = "AuditedByOverrideAbove")
    @Table(name = "found")
    public static class AuditedByOverrideAbove extends OverridingBase {}

    /** Without annotations of Envers. */
    @MappedSuperclass
    public static class PlainBase {
        @Id
        int id;

        @ElementCollection
        @OrderColumn
        List<Element> elements;
    }

    /** All of whose base is audited. */
    @AuditOverride(forClass = PlainBase.class, isAudited = true)
    @Entity(name = "AuditedBase")
    @Table(name = "found")
    public static class AuditedBase extends PlainBase {}

    /** The same, whose elements are not audited. */
    @Audited
    @AuditOverride(forClass = NotAuditedBase.class, isAudited = true)
    @AuditOverride(forClass = NotAuditedBase.class, name = "note", isAudited = true)
    @AuditOverride(forClass = NotAuditedBase.class, name = "elements", isAudited = false)
    @Entity(name = "OverridesOfOthers")
    @Table(name = "found")
    public static class OverridesOfOthers extends NotAuditedBase {}

    private static final byte[] VALUE = "some text ".repeat(40).getBytes();
    private static final byte[] OTHER = "other text ".repeat(40).getBytes();
    private static final String CHECK = "ALTER TABLE written ADD CONSTRAINT framed"
            + " CHECK (payload IS NULL OR SUBSTRING(payload, 1, 2) = X'BEC1')";

    private static final String INSERT = "insert into %s(id, payload) values (1, :p)";
    private static final String SET = "update %s set payload = :p where id = 0";
    private static final String COALESCE = "update %s set payload = coalesce(:p, payload) where id = 0";
    private static final String CASE = "update %s set payload = case when id = 0 then :p else payload end where id = 0";

    @AfterEach
    void stopWriting() {
        FRAMES.stopWriting();
        RAW.stopWriting();
    }

    private static DataSource table(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS written");
            Sql.execute(connection, "CREATE TABLE written (id INT PRIMARY KEY, note VARCHAR(20), payload MEDIUMBLOB)");
            Sql.execute(connection, "INSERT INTO written VALUES (0, NULL, NULL)");
        }
        return source;
    }

    private static SessionFactory sessions(DataSource source, String product, Class<?>... entities) {
        Configuration configuration = new Configuration();
        for (Class<?> entity : entities) {
            configuration.addAnnotatedClass(entity);
        }
        configuration.getProperties().put("jakarta.persistence.nonJtaDataSource", source);
        // the driver is that of MariaDB for both
        configuration.setProperty("hibernate.dialect", "org.hibernate.dialect." + product + "Dialect");
        return configuration.buildSessionFactory();
    }

    private static void execute(SessionFactory sessions, String hql) {
        sessions.inTransaction(session ->
                session.createMutationQuery(hql).setParameter("p", VALUE).executeUpdate());
    }

    /** Whether the value that was written last has a frame. */
    private static boolean isFramed(DataSource source) throws Exception {
        try (Connection connection = source.getConnection();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery(
                                "SELECT payload FROM written WHERE payload IS NOT NULL ORDER BY id DESC LIMIT 1")) {
            rows.next();
            return StoredForm.of(rows.getBytes(1)).kind() == StoredForm.Kind.ENCODED;
        }
    }

    /** When one that is not encoded by a type is, Hibernate has changed, and the document needs no warning. */
    @ParameterizedTest
    @CsvSource({"MariaDB", "MySQL"})
    void statementsOfHqlEncodeWithAConverterAndPartlyWithAType(String product) throws Exception {
        FRAMES.startWriting();
        for (Class<?> entity : List.of(Converted.class, Typed.class)) {
            for (String hql : List.of(SET, INSERT, COALESCE, CASE)) {
                DataSource source = table(product);
                try (SessionFactory sessions = sessions(source, product, entity)) {
                    execute(sessions, hql.formatted(entity.getSimpleName()));
                    assertThat(isFramed(source))
                            .as(entity.getSimpleName() + ": " + hql)
                            .isEqualTo(entity == Converted.class || hql.equals(SET) || hql.equals(CASE));
                    if (!isFramed(source)) { // not silent: all values of this column have a frame
                        assertThatThrownBy(() -> sessions.inSession(
                                        session -> session.createQuery("from " + entity.getSimpleName(), Object.class)
                                                .getResultList()))
                                .hasStackTraceContaining("the value has no frame");
                    }
                }
            }
        }
    }

    /** The constraint that the document recommends. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aConstraintOfTheServerRefusesWhatIsNotEncoded(String product) throws Exception {
        FRAMES.startWriting();
        for (String hql : List.of(INSERT, COALESCE)) {
            DataSource source = table(product);
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, CHECK);
            }
            try (SessionFactory sessions = sessions(source, product, Typed.class)) {
                assertThatThrownBy(() -> execute(sessions, hql.formatted("Typed")))
                        .hasStackTraceContaining("framed");
                execute(sessions, SET.formatted("Typed"));
                assertThat(isFramed(source)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TypedAll.class,
                ConvertedDirty.class,
                EmbeddedAll.class,
                ExcludedWithinAll.class,
                ExcludedWithinDirty.class
            })
    void anEntityWhoseStoredValuesAreComparedIsRefused(Class<?> entity) throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity.getSimpleName())
                .hasMessageContaining(
                        entity == TypedAll.class || entity == ConvertedDirty.class ? "'payload'" : "'part'")
                .hasMessageContaining("use @Version");
    }

    /** An element that was removed would stay in the table if it was stored before writing started. */
    @ParameterizedTest
    @ValueSource(classes = {SetOfElements.class, SetOfValues.class, MapByValue.class})
    void aCollectionWhoseRowsAreFoundByAStoredValueIsRefused(Class<?> entity) throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity.getSimpleName() + ".elements")
                .hasMessageContaining("elements would not be removed");
    }

    /** A removed element would stay in later revisions if it was stored before writing started. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                AuditedElements.class,
                AuditedAttribute.class,
                AuditedByOverride.class,
                AuditedByOverrides.class,
                AuditedByOverrideAbove.class,
                AuditedBase.class
            })
    void encodedElementsThatAreAuditedAreRefused(Class<?> entity) throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity.getSimpleName() + ".elements")
                .hasMessageContaining("add @NotAudited");
    }

    @ParameterizedTest
    @ValueSource(classes = {ElementsThatAreNotAudited.class, OverridesOfOthers.class})
    void elementsThatAreNotAuditedAreAccepted(Class<?> entity) throws Exception {
        sessions(table("MariaDB"), "MariaDB", entity).close();
    }

    @Test
    void anEncodedIdentifierIsRefused() throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", EncodedId.class).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining("identifier");
        assertThatThrownBy(() ->
                        sessions(source, "MariaDB", EncodedNaturalId.class).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining("natural identifier 'payload'");
    }

    @Test
    void rowsThatAreJoinedByAnEncodedValueAreRefused() throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", Typed.class, JoinedByValue.class)
                        .close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining("JoinedByValue.parent")
                .hasMessageContaining("joined by");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ChildrenByValue.class,
                ElementsByValue.class,
                ManyFromValue.class,
                ManyToValue.class,
                PartByValue.class,
                ElementsToValue.class,
                KeysToValue.class
            })
    void collectionsAndPartsThatAreJoinedByAnEncodedValueAreRefused(Class<?> entity) throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(
                        () -> sessions(source, "MariaDB", Target.class, entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity.getSimpleName() + ".joined")
                .hasMessageContaining("joined by what is stored for 'payload'");
    }

    @ParameterizedTest
    @CsvSource({"Divided, 'payload'", "DividedByPart, 'part'", "DividedElements, elements"})
    void anEncodedPartitionKeyIsRefused(String entity, String attribute) throws Exception {
        Class<?> type = Class.forName(HibernateWritesIT.class.getName() + "$" + entity);
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", type).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity)
                .hasMessageContaining(attribute)
                .hasMessageContaining("found by its partition key");
    }

    @ParameterizedTest
    @ValueSource(classes = {TenantByField.class, TenantByGetter.class})
    void anEncodedTenantIsRefused(Class<?> entity) throws Exception {
        DataSource source = table("MariaDB");
        assertThatThrownBy(() -> sessions(source, "MariaDB", entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContaining(entity.getSimpleName())
                .hasMessageContaining("found by its tenant identifier 'payload'");
    }

    /** Elements were stored before writing started, so that they would be encoded to other bytes now. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void elementsThatAreFoundOtherwiseAreRemoved(String product) throws Exception {
        DataSource source = table(product);
        try (SessionFactory sessions = sessions(source, product, FoundElements.class)) {
            sessions.getSchemaManager().create(false);
            sessions.inTransaction(session -> {
                FoundElements entity = new FoundElements();
                entity.id = 1;
                entity.inOrder = new ArrayList<>(List.of(element("a"), element("b")));
                entity.writtenAgain = new ArrayList<>(List.of(element("a"), element("b")));
                entity.byName = new HashMap<>(Map.of("a", element("a"), "b", element("b")));
                entity.ofNullableColumns = new HashSet<>(Set.of(part("a"), part("b")));
                session.persist(entity);
            });
            RAW.startWriting();
            sessions.inTransaction(session -> {
                FoundElements entity = session.find(FoundElements.class, 1);
                entity.inOrder.remove(0);
                entity.writtenAgain.remove(0);
                entity.byName.remove("a");
                entity.ofNullableColumns.removeIf(part -> part.note.equals("a"));
            });
            sessions.inTransaction(session -> {
                FoundElements entity = session.find(FoundElements.class, 1);
                assertThat(entity.inOrder).singleElement().satisfies(HibernateWritesIT::isB);
                assertThat(entity.writtenAgain).singleElement().satisfies(HibernateWritesIT::isB);
                assertThat(entity.byName.values()).singleElement().satisfies(HibernateWritesIT::isB);
                assertThat(entity.ofNullableColumns)
                        .singleElement()
                        .satisfies(part -> assertThat(part.note).isEqualTo("b"));
            });
        } finally {
            TestServers.clean(source);
        }
    }

    private static void isB(Element element) {
        assertThat(element.note).isEqualTo("b");
        assertThat(element.payload).isEqualTo(VALUE);
    }

    private static Element element(String note) {
        Element element = new Element();
        element.note = note;
        element.payload = VALUE.clone();
        return element;
    }

    private static Part part(String note) {
        Part part = new Part();
        part.note = note;
        part.payload = VALUE.clone();
        return part;
    }

    /** What the refusal advises. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anExcludedValueIsChangedAlsoIfItWasStoredBeforeWritingStarted(String product) throws Exception {
        List<Class<?>> entities =
                List.of(ExcludedAll.class, ExcludedDirty.class, ExcludedPartAll.class, ExcludedPartDirty.class);
        List<Consumer<SessionFactory>> changes = List.of(
                sessions -> change(sessions, ExcludedAll.class, row -> row.note = "x"),
                sessions -> change(sessions, ExcludedAll.class, row -> row.payload = OTHER.clone()),
                sessions -> change(sessions, ExcludedDirty.class, row -> row.note = "x"),
                sessions -> change(sessions, ExcludedDirty.class, row -> row.payload = OTHER.clone()),
                sessions -> change(sessions, ExcludedPartAll.class, row -> {}),
                sessions -> change(sessions, ExcludedPartAll.class, row -> row.part.payload = OTHER.clone()),
                sessions -> change(sessions, ExcludedPartDirty.class, row -> {}),
                sessions -> change(sessions, ExcludedPartDirty.class, row -> row.part.payload = OTHER.clone()));
        for (int i = 0; i < changes.size(); i++) {
            RAW.stopWriting();
            DataSource source = table(product);
            try (Connection connection = source.getConnection();
                    var update = connection.prepareStatement("UPDATE written SET payload = ?")) {
                update.setBytes(1, RAW.encode(VALUE));
                update.executeUpdate();
            }
            RAW.startWriting();
            try (SessionFactory sessions = sessions(source, product, entities.get(i / 2))) {
                changes.get(i).accept(sessions);
            }
            assertThat(isFramed(source)).isEqualTo(i % 2 == 1);
        }
    }

    private static <T> void change(SessionFactory sessions, Class<T> entity, Consumer<T> change) {
        sessions.inTransaction(session -> change.accept(session.find(entity, 0)));
    }
}
