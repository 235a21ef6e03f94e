package dev.blobmark.value.springboot;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.ValueListener;
import dev.blobmark.value.micrometer.MeteredValues;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * The format of one column, as {@link ValueProperties} states it, for Spring Boot 3.5 and 4. An application with its
 * own bean of {@link ValueFormat}, {@link ReaderRegistry} or {@link LoadedDictionaries} keeps it. Every bean of
 * {@link ValueListener} is called for the values.
 *
 * <p>With a registry, the program announces itself before it begins to write, and says that it is gone when the context
 * is closed.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@EnableConfigurationProperties(ValueProperties.class)
public class ValueAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("blobmark.value.registry.schema")
    ReaderRegistry blobmarkReaders(ConfigurableListableBeanFactory beans, ValueProperties properties) {
        return ReaderRegistry.in(
                source(beans, properties, "blobmarkReaders"),
                properties.registry().schema());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("blobmark.value.dictionaries.schema")
    LoadedDictionaries blobmarkDictionaries(ConfigurableListableBeanFactory beans, ValueProperties properties) {
        return DictionaryTable.in(
                        source(beans, properties, "blobmarkDictionaries"),
                        properties.dictionaries().schema())
                .load();
    }

    /** @param user the bean that is destroyed before the source is */
    private static DataSource source(ConfigurableListableBeanFactory beans, ValueProperties properties, String user) {
        String name = Optional.ofNullable(properties.dataSource())
                .orElseGet(() -> beans.resolveNamedBean(DataSource.class).getBeanName());
        beans.registerDependentBean(name, user);
        return beans.getBean(name, DataSource.class);
    }

    /** Meters, where the application has Micrometer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        @Bean
        @ConditionalOnBean(MeterRegistry.class)
        @ConditionalOnMissingBean
        MeteredValues blobmarkMeters(MeterRegistry registry, ValueProperties properties) {
            return new MeteredValues(registry, properties.column());
        }
    }

    /** The format, unless the application has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(ValueFormat.class)
    static class Format {

        @Bean
        ValueFormat.Builder blobmarkFormatBuilder(
                ValueProperties properties,
                ObjectProvider<ReaderRegistry> readers,
                ObjectProvider<LoadedDictionaries> dictionaries,
                ObjectProvider<ValueListener> listeners) {
            ValueFormat.Builder builder = ValueFormat.builder()
                    .reads(properties.legacy())
                    .maxLength(Math.toIntExact(properties.maxLength().toBytes()))
                    .dictionaries(Optional.<Dictionaries>ofNullable(dictionaries.getIfAvailable())
                            .orElse(Dictionaries.NONE));
            if (properties.readsSql()) {
                builder.readsSql();
            }
            Optional.ofNullable(properties.codec()).ifPresent(builder::writes);
            readers.ifAvailable(builder::readers);
            listeners.orderedStream().forEach(builder::listener);
            return builder;
        }

        /**
         * @param announcement is made before anything can read with the format, and closed after all beans that were
         *     made since
         */
        @Bean
        ValueFormat blobmarkFormat(
                @Qualifier("blobmarkFormatBuilder") ValueFormat.Builder builder,
                ObjectProvider<ProgramAnnouncement> announcement) {
            announcement.ifAvailable(made -> {});
            return builder.build();
        }
    }

    /**
     * Not lazy: a program that reads the column is announced whether anything asks for this bean or not.
     *
     * @param builder of the format, unless the application has its own
     * @throws IllegalStateException if the application has several formats, and none is announced
     */
    @Bean
    @Lazy(false)
    @ConditionalOnBean(ReaderRegistry.class)
    @ConditionalOnMissingBean
    ProgramAnnouncement blobmarkAnnouncement(
            ReaderRegistry readers,
            @Qualifier("blobmarkFormatBuilder") ObjectProvider<ValueFormat.Builder> builder,
            ObjectProvider<ValueFormat> formats,
            ObjectProvider<Announcement> others,
            ValueProperties properties,
            Environment environment)
            throws SQLException {
        String name = Optional.ofNullable(properties.registry().name())
                .orElseGet(() -> environment.getProperty("spring.application.name", "a Spring application"));
        ValueFormat.Builder ours = builder.getIfAvailable();
        return ours != null
                ? ProgramAnnouncement.of(readers, name, ours.build())
                : ProgramAnnouncement.of(
                        readers,
                        name,
                        formats.stream().toList(),
                        others.stream().findFirst().isPresent());
    }

    /** @param announcement is made first: this program is a reader too */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean
    @ConditionalOnProperty("blobmark.value.writing")
    ValueWriting blobmarkWriting(ValueFormat format, ObjectProvider<ProgramAnnouncement> announcement) {
        announcement.ifAvailable(made -> {});
        return new ValueWriting(format);
    }

    @Bean
    ValueHealth blobmarkHealth(
            Map<String, ValueFormat> formats,
            @Qualifier("blobmarkFormatBuilder") ObjectProvider<ValueFormat.Builder> builder,
            ObjectProvider<ValueWriting> writing,
            ObjectProvider<LoadedDictionaries> dictionaries) {
        return new ValueHealth(
                formats,
                Optional.ofNullable(builder.getIfAvailable()).map(ValueFormat.Builder::build),
                writing.stream().findFirst(),
                dictionaries.stream().toList());
    }

    /** Health in Boot 3.5. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    static class HealthOfBoot3 {

        @Bean
        org.springframework.boot.actuate.health.HealthIndicator blobmarkHealthIndicator(ValueHealth health) {
            return () -> (health.isUp()
                            ? org.springframework.boot.actuate.health.Health.up()
                            : org.springframework.boot.actuate.health.Health.down())
                    .withDetails(health.details())
                    .build();
        }
    }

    /** Health in Boot 4, whose types have another package. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    static class HealthOfBoot4 {

        @Bean
        org.springframework.boot.health.contributor.HealthIndicator blobmarkHealthIndicator(ValueHealth health) {
            return () -> (health.isUp()
                            ? org.springframework.boot.health.contributor.Health.up()
                            : org.springframework.boot.health.contributor.Health.down())
                    .withDetails(health.details())
                    .build();
        }
    }
}
