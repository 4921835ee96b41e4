/**
 * What methods use: `allocate` makes 1000 arrays of 1016 bytes (16 of them the header), `nothing` makes none, `sleep`
 * waits five times.
 */
public final class Counters {
    static Object kept;

    static void allocate() {
        for (int i = 0; i < 1000; i++) {
            kept = new byte[1000];
        }
    }

    static int nothing() {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += i ^ sum;
        }
        return sum;
    }

    static void sleep() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            allocate();
            nothing();
        }
        sleep();
    }
}
