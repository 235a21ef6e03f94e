package dev.blobmark.stats;

import java.util.Arrays;

/**
 * A least-squares fit of a table as the sum of row and column effects. Rows are methods, columns are rounds or forks.
 * Residuals contain neither the method's speed nor the machine's. Cells may be missing.
 *
 * @param rows the effect of each row, including the overall mean
 * @param residuals of each cell; {@code NaN} where the cell is missing
 * @param freedom degrees of freedom of all residuals together
 */
record AdditiveFit(double[] rows, double[][] residuals, int freedom) {

    /**
     * A variance with 4 degrees of freedom exceeds the median of several by this factor in less than 1 of 100 cases.
     */
    private static final double FAR_NOISIER = 4;

    private static final double MIN_WEIGHT = 1e-6;

    private static final int MAX_SWEEPS = 200;

    /** Convergence limit for logarithms, far below the resolution of any clock. */
    private static final double CLOSE_ENOUGH = 1e-13;

    /**
     * @param cells by row and column, {@code NaN} for missing ones; each row has at least one
     * @param weights of the rows in the column effects, above 0
     */
    static AdditiveFit of(double[][] cells, double[] weights) {
        int height = cells.length;
        int width = cells[0].length;
        double[] rows = new double[height];
        double[] columns = new double[width];
        for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
            double moved = 0;
            for (int r = 0; r < height; r++) {
                double sum = 0;
                int n = 0;
                for (int c = 0; c < width; c++) {
                    if (!Double.isNaN(cells[r][c])) {
                        sum += cells[r][c] - columns[c];
                        n++;
                    }
                }
                moved = Math.max(moved, Math.abs(sum / n - rows[r]));
                rows[r] = sum / n;
            }
            double all = 0;
            for (int c = 0; c < width; c++) {
                double sum = 0;
                double n = 0;
                for (int r = 0; r < height; r++) {
                    if (!Double.isNaN(cells[r][c])) {
                        sum += weights[r] * (cells[r][c] - rows[r]);
                        n += weights[r];
                    }
                }
                columns[c] = n == 0 ? 0 : sum / n;
                all += columns[c];
            }
            for (int c = 0; c < width; c++) {
                columns[c] -= all / width;
            }
            for (int r = 0; r < height; r++) {
                rows[r] += all / width;
            }
            if (moved < CLOSE_ENOUGH) {
                break;
            }
        }
        double[][] residuals = new double[height][width];
        boolean[] isUsed = new boolean[width];
        int known = 0;
        for (int r = 0; r < height; r++) {
            for (int c = 0; c < width; c++) {
                residuals[r][c] = cells[r][c] - rows[r] - columns[c];
                if (!Double.isNaN(cells[r][c])) {
                    isUsed[c] = true;
                    known++;
                }
            }
        }
        int usedColumns = 0;
        for (boolean used : isUsed) {
            usedColumns += used ? 1 : 0;
        }
        return new AdditiveFit(rows, residuals, Math.max(0, known - height - usedColumns + 1));
    }

    /**
     * The weights of rows in the column effects, by the rows' variances: 1, but less for rows that are far noisier than
     * most. Otherwise the noise of one row would count as noise of all others.
     */
    static double[] weights(double[] variances) {
        double[] sorted = variances.clone();
        Arrays.sort(sorted);
        double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        return Arrays.stream(variances)
                .map(variance ->
                        variance > FAR_NOISIER * median ? Math.max(MIN_WEIGHT, FAR_NOISIER * median / variance) : 1)
                .toArray();
    }

    /** The share of a row's variance that remains in its residuals, if all rows have the same variance. */
    static double residualShare(double[] weights, int row) {
        double all = Arrays.stream(weights).sum();
        double squares = Arrays.stream(weights).map(weight -> weight * weight).sum();
        return 1 - 2 * weights[row] / all + squares / (all * all);
    }

    /** Number of cells of a row that are not missing. */
    int cells(int row) {
        return (int) Arrays.stream(residuals[row]).filter(x -> !Double.isNaN(x)).count();
    }

    double squares(int row) {
        return Arrays.stream(residuals[row])
                .filter(x -> !Double.isNaN(x))
                .map(x -> x * x)
                .sum();
    }
}
