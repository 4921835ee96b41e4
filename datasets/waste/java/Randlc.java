/** The linear congruential generator of the NAS parallel benchmarks: x = a x mod 2^46 in double arithmetic. */
final class Randlc implements Case {
    private static final int NUMBERS = 100000;
    private static final double A = 1220703125.0;
    private static final double SEED = 314159265.0;
    private static final double R23 = Math.pow(0.5, 23);
    private static final double R46 = Math.pow(R23, 2);
    private static final double T23 = Math.pow(2.0, 23);
    private static final double T46 = Math.pow(T23, 2);

    private double x;

    @Override
    public long before() {
        double sum = 0;
        x = SEED;
        for (int i = 0; i < NUMBERS; i++) {
            double r23 = Math.pow(0.5, 23);
            double r46 = Math.pow(r23, 2);
            double t23 = Math.pow(2.0, 23);
            double t46 = Math.pow(t23, 2);
            sum += next(r23, r46, t23, t46);
        }
        return Double.doubleToLongBits(sum);
    }

    @Override
    public long after() {
        double sum = 0;
        x = SEED;
        for (int i = 0; i < NUMBERS; i++) {
            sum += next(R23, R46, T23, T46);
        }
        return Double.doubleToLongBits(sum);
    }

    private double next(double r23, double r46, double t23, double t46) {
        double a1 = (long) (r23 * A);
        double a2 = A - t23 * a1;
        double x1 = (long) (r23 * x);
        double x2 = x - t23 * x1;
        double middle = a1 * x2 + a2 * x1;
        double z = middle - t23 * (long) (r23 * middle);
        double whole = t23 * z + a2 * x2;
        x = whole - t46 * (long) (r46 * whole);
        return r46 * x;
    }
}
