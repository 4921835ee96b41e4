/**
 * In the shape of JavaGrande's Euler: a gas in a rectangle of 192 by 128 cells. A cell has a vector of density, momenta and
 * energy; arrays of two dimensions hold the vectors of the cells and those of their fluxes. In each step (of Lax and
 * Friedrichs) they are swept: 3 arrays of 24,576 vectors, 4 MB.
 *
 * Bytes, with compressed references: a vector 48. Those of a cell and of its fluxes were allocated together. In the inner loop
 * the elements of a row have a stride of 4, and what they lead to one of 3 * 48. One of the sweeps goes by columns: the rows are
 * arrays of 16 + 4 * 128 bytes, one after the other, and the vectors of a row have 128 * 3 * 48.
 * EXPECT line=@cell loop=@row_loop kind=inter stride=4
 * EXPECT line=@density loop=@row_loop kind=inter stride=144
 * EXPECT line=@momentum loop=@row_loop kind=inter stride=144
 * EXPECT line=@energy loop=@row_loop kind=inter stride=144
 * EXPECT line=@column_cell loop=@column_loop kind=inter stride=528
 * EXPECT line=@column_density loop=@column_loop kind=inter stride=18432
 * EXPECT line=@above loop=@step_loop kind=inter stride=4
 * EXPECT line=@left loop=@step_loop kind=inter stride=4
 * EXPECT line=@above_density loop=@step_loop kind=inter stride=144
 * EXPECT line=@left_density loop=@step_loop kind=inter stride=144
 *
 * Argument: a factor for the number of steps.
 */
public class Euler {
    static final int ROWS = 192;
    static final int COLUMNS = 128;
    static final int STEPS = 200;

    static final class Vector4 {
        double density;
        double momentumX;
        double momentumY;
        double energy;
    }

    final Vector4[][] cells = new Vector4[ROWS][COLUMNS];
    final Vector4[][] fluxesX = new Vector4[ROWS][COLUMNS];
    final Vector4[][] fluxesY = new Vector4[ROWS][COLUMNS];

    /** A gas at rest, with some random disturbance. */
    Euler(Numbers numbers) {
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < COLUMNS; j++) {
                cells[i][j] = new Vector4();
                fluxesX[i][j] = new Vector4();
                fluxesY[i][j] = new Vector4();
                Vector4 cell = cells[i][j];
                cell.density = 1 + numbers.next(1000) / 10000.0;
                cell.energy = 2.5 + numbers.next(1000) / 10000.0;
            }
        }
    }

    static double pressure(double density, double x, double y, double energy) {
        return 0.4 * (energy - (x * x + y * y) / (2 * density));
    }

    /** From row to row, by rows. */
    void findFluxesX() {
        for (int i = 0; i < ROWS; i++) {
            Vector4[] row = cells[i];
            Vector4[] fluxes = fluxesX[i];
            for (int j = 0; j < COLUMNS; j++) { // @row_loop
                Vector4 cell = row[j]; // @cell
                double density = cell.density; // @density
                double x = cell.momentumX; // @momentum
                double y = cell.momentumY;
                double energy = cell.energy; // @energy
                double pressure = pressure(density, x, y, energy);
                Vector4 flux = fluxes[j];
                flux.density = x;
                flux.momentumX = x * x / density + pressure;
                flux.momentumY = x * y / density;
                flux.energy = x * (energy + pressure) / density;
            }
        }
    }

    /** From column to column, by columns. */
    void findFluxesY() {
        for (int j = 0; j < COLUMNS; j++) {
            for (int i = 0; i < ROWS; i++) { // @column_loop
                Vector4[] row = cells[i];
                Vector4 cell = row[j]; // @column_cell
                double density = cell.density; // @column_density
                double x = cell.momentumX;
                double y = cell.momentumY;
                double energy = cell.energy;
                double pressure = pressure(density, x, y, energy);
                Vector4 flux = fluxesY[i][j];
                flux.density = y;
                flux.momentumX = x * y / density;
                flux.momentumY = y * y / density + pressure;
                flux.energy = y * (energy + pressure) / density;
            }
        }
    }

    /** In place: half of the mean of the neighbours above and left, which have been changed, and below and right. */
    void step(double ratio) {
        for (int i = 1; i < ROWS - 1; i++) {
            Vector4[] rowAbove = cells[i - 1];
            Vector4[] row = cells[i];
            Vector4[] rowBelow = cells[i + 1];
            Vector4[] before = fluxesX[i - 1];
            Vector4[] after = fluxesX[i + 1];
            Vector4[] across = fluxesY[i];
            for (int j = 1; j < COLUMNS - 1; j++) { // @step_loop
                Vector4 above = rowAbove[j]; // @above
                Vector4 left = row[j - 1]; // @left
                Vector4 cell = row[j];
                Vector4 right = row[j + 1];
                Vector4 below = rowBelow[j];
                Vector4 in = before[j];
                Vector4 out = after[j];
                Vector4 down = across[j - 1];
                Vector4 up = across[j + 1];
                double density = above.density; // @above_density
                density += left.density; // @left_density
                density += right.density + below.density;
                cell.density = 0.5 * cell.density + 0.125 * density - ratio * (out.density - in.density + up.density - down.density);
                double x = above.momentumX + left.momentumX + right.momentumX + below.momentumX;
                cell.momentumX = 0.5 * cell.momentumX + 0.125 * x
                    - ratio * (out.momentumX - in.momentumX + up.momentumX - down.momentumX);
                double y = above.momentumY + left.momentumY + right.momentumY + below.momentumY;
                cell.momentumY = 0.5 * cell.momentumY + 0.125 * y
                    - ratio * (out.momentumY - in.momentumY + up.momentumY - down.momentumY);
                double energy = above.energy + left.energy + right.energy + below.energy;
                cell.energy = 0.5 * cell.energy + 0.125 * energy - ratio * (out.energy - in.energy + up.energy - down.energy);
            }
        }
    }

    long checksum() {
        double sum = 0;
        for (Vector4[] row : cells) {
            for (Vector4 cell : row) {
                sum = 0.999 * sum + cell.density + cell.energy + cell.momentumX - cell.momentumY;
            }
        }
        return Double.doubleToLongBits(sum);
    }

    public static void main(String[] arguments) {
        int steps = Numbers.rounds(arguments, STEPS);
        Euler gas = new Euler(new Numbers(2003));
        Numbers.built();
        for (int step = 0; step < steps; step++) {
            gas.findFluxesX();
            gas.findFluxesY();
            gas.step(0.05);
        }
        System.out.println("steps " + steps + " checksum " + gas.checksum());
    }
}
