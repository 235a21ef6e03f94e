package dev.blobmark.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 2%} or {@code 0.5 %} as a share: 0.02, 0.005. From 0 to less than 100 %. */
final class Percentage implements ITypeConverter<Double> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,2}(?:\\.\\d{1,4})?) ?%");

    @Override
    public Double convert(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is no percentage between 0 and 100; write, for example, 2% or 0.5%");
        }
        return Double.parseDouble(form.group(1)) / 100;
    }
}
