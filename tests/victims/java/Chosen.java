/**
 * Methods whose instances are known on paper. `Chosen WHAT N`, where WHAT is one of
 *   known       N rounds of: constant 50 units; bimodal 20 and 100 in turn (a coefficient of variation of 67 %); growing,
 *               from 1 to 100; leaf 80 below large and 20 below small; total, constant + bimodal in one call
 *   recursion   N times down(9): ten instances, one inside the other; 10 N in all
 *   exceptions  N times thrower, which a third of the time ends by an exception
 *   threads     four threads with 100 N instances of quick, and N of work of 50, 50, 50 and 100 units
 *   collections N rounds of collects, which lets the JVM collect garbage in every fourth, and quiet, which does not
 *   allocates   N times allocates: 64 arrays of 1008 bytes and 16 of header
 *   hot         N calls of quick, then slow 300 times, which sleeps for 5 ms
 *   virtual     N virtual threads, each with an instance of quick
 * A unit is a fixed number of additions. Prints a number that depends on every call.
 */
public class Chosen {
    static long sink;
    static byte[][] kept = new byte[64][];

    static long work(int units) {
        long sum = units;
        for (int i = 0; i < units * 400; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    static long constant() {
        return work(50);
    }

    static long bimodal(int i) {
        return work(i % 2 == 0 ? 20 : 100);
    }

    static long growing(int i, int n) {
        return work(1 + 99 * i / n);
    }

    static long leaf(int units) {
        return work(units);
    }

    static long large() {
        return leaf(80);
    }

    static long small() {
        return leaf(20);
    }

    static long total(int i) {
        return constant() + bimodal(i);
    }

    static long down(int depth) {
        return work(5) + (depth > 0 ? down(depth - 1) : 0);
    }

    static long thrower(int i) {
        long sum = work(20);
        if (i % 3 == 0) {
            throw new IllegalStateException();
        }
        return sum;
    }

    static long quick(int i) {
        return i * 31L + 7;
    }

    static void collects(int i) {
        sink += work(20);
        if (i % 4 == 0) {
            System.gc();
        }
    }

    static void quiet() {
        sink += work(20);
    }

    static void allocates() {
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new byte[1008];
        }
    }

    static void slow() throws InterruptedException {
        Thread.sleep(5);
        sink++;
    }

    static void known(int n) {
        for (int i = 0; i < n; i++) {
            sink += constant() + bimodal(i) + growing(i, n) + large() + small() + total(i);
        }
    }

    static void exceptions(int n) {
        for (int i = 0; i < n; i++) {
            try {
                sink += thrower(i);
            } catch (IllegalStateException expected) {
                sink++;
            }
        }
    }

    static void threads(int n) throws InterruptedException {
        Thread[] all = new Thread[4];
        long[] sums = new long[all.length];
        for (int t = 0; t < all.length; t++) {
            int own = t;
            all[t] = new Thread(() -> {
                for (int i = 0; i < n; i++) {
                    sums[own] += own == 3 ? constant() + constant() : constant();
                    for (int j = 0; j < 100; j++) {
                        sums[own] += quick(j);
                    }
                }
            });
            all[t].start();
        }
        for (int t = 0; t < all.length; t++) {
            all[t].join();
            sink += sums[t];
        }
    }

    static void hot(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            sink += quick(i);
        }
        for (int i = 0; i < 300; i++) {
            slow();
        }
    }

    /** By reflection, since older JDKs have no such threads. */
    static void virtual(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            int own = i;
            Runnable task = () -> sink += quick(own);
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task)).join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
            case "known":
                known(n);
                break;
            case "recursion":
                for (int i = 0; i < n; i++) {
                    sink += down(9);
                }
                break;
            case "exceptions":
                exceptions(n);
                break;
            case "threads":
                threads(n);
                break;
            case "collections":
                for (int i = 0; i < n; i++) {
                    collects(i);
                    quiet();
                }
                break;
            case "allocates":
                for (int i = 0; i < n; i++) {
                    allocates();
                }
                break;
            case "hot":
                hot(n);
                break;
            case "virtual":
                virtual(n);
                break;
            default:
                throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println(sink);
    }
}
