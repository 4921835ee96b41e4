/** The damping of a flow on a grid, with its intermediate results in an object. */
final class Euler implements Case {
    private static final int WIDTH = 400;
    private static final int HEIGHT = 100;
    private static final double WEIGHT = 0.003;

    private static final class State {
        private double a;
        private double b;
    }

    private final State[][] flow = new State[WIDTH][HEIGHT];
    private final State[][] damping = new State[WIDTH][HEIGHT];

    private interface Row {
        void run(State[] in, State[] out);
    }

    Euler() {
        for (int i = 0; i < WIDTH; i++) {
            for (int j = 0; j < HEIGHT; j++) {
                flow[i][j] = new State();
                flow[i][j].a = i % 7 + j % 11;
                flow[i][j].b = i % 5 - j % 3;
                damping[i][j] = new State();
            }
        }
    }

    @Override
    public long before() {
        return damped(Euler::storeParts);
    }

    @Override
    public long after() {
        return damped(Euler::keepParts);
    }

    /** `part` stays in registers until it is used; its stores are overwritten by the next ones. */
    private static void storeParts(State[] in, State[] out) {
        State part = new State();
        for (int j = 2; j < HEIGHT - 2; j++) {
            part.a = 3 * (in[j].a - in[j + 1].a);
            part.b = 3 * (in[j].b - in[j + 1].b);
            out[j].a = WEIGHT * (in[j + 2].a - in[j - 1].a + part.a);
            out[j].b = WEIGHT * (in[j + 2].b - in[j - 1].b + part.b);
            part.a = 3 * (in[j - 1].a - in[j].a);
            part.b = 3 * (in[j - 1].b - in[j].b);
            out[j].a -= WEIGHT * (in[j + 1].a - in[j - 2].a + part.a);
            out[j].b -= WEIGHT * (in[j + 1].b - in[j - 2].b + part.b);
        }
    }

    private static void keepParts(State[] in, State[] out) {
        for (int j = 2; j < HEIGHT - 2; j++) {
            double a = WEIGHT * (in[j + 2].a - in[j - 1].a + 3 * (in[j].a - in[j + 1].a));
            double b = WEIGHT * (in[j + 2].b - in[j - 1].b + 3 * (in[j].b - in[j + 1].b));
            out[j].a = a - WEIGHT * (in[j + 1].a - in[j - 2].a + 3 * (in[j - 1].a - in[j].a));
            out[j].b = b - WEIGHT * (in[j + 1].b - in[j - 2].b + 3 * (in[j - 1].b - in[j].b));
        }
    }

    private long damped(Row line) {
        double sum = 0;
        for (int step = 0; step < 100; step++) {
            for (int i = 0; i < WIDTH; i++) {
                line.run(flow[i], damping[i]);
            }
            for (State[] row : damping) {
                for (State one : row) {
                    sum += one.a + one.b;
                }
            }
        }
        return Double.doubleToLongBits(sum);
    }
}
