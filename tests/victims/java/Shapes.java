import java.util.ArrayList;
import java.util.List;

/** Methods of every shape that matters to bytecode added at their entry; runs each 1000 times, and prints the sum. */
public class Shapes {
    interface Named {
        default int named(int x) {
            return x + 1;
        }

        int abstractly(int x);
    }

    static class Base {
        final int base;

        Base(int x) {
            base = x;
        }
    }

    static class Built extends Base implements Named {
        Built(int x) {
            super(x > 500 ? x + 1 : x - 1); // a frame with an object that is not yet initialized
        }

        @Override
        public int abstractly(int x) {
            return x + base;
        }
    }

    static int begins(int n) { // a frame at the first instruction
        while (n > 0) {
            n -= 3;
        }
        return n;
    }

    static int table(int x) {
        switch (x % 6) {
        case 0: return 1;
        case 1: return 7;
        case 2: return 3;
        case 3: return 9;
        case 4: return 2;
        default: return x;
        }
    }

    static int lookup(int x) {
        switch (x) {
        case 3: return 1;
        case 300: return 7;
        case 900: return 3;
        default: return 5;
        }
    }

    long arguments(long a, double b, int[][] c, String d, byte e) {
        long sum = a + (long) b + c[0][0] + e;
        for (int i = 0; i < d.length(); i++) {
            sum += d.charAt(i);
        }
        return sum;
    }

    static int guarded(int x) {
        try {
            if (x % 7 == 0) {
                throw new IllegalStateException("seven");
            }
            return x;
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        } finally {
            total++;
        }
    }

    static synchronized <T extends Comparable<T>> T greater(T a, T b) {
        List<T> both = new ArrayList<>();
        both.add(a);
        both.add(b);
        return both.get(0).compareTo(both.get(1)) > 0 ? a : b;
    }

    static void nothing() {
    }

    static int overloaded(int x) {
        return x;
    }

    static int overloaded(long x) {
        return (int) x + 1;
    }

    static long total;

    public static void main(String[] arguments) {
        Shapes shapes = new Shapes();
        int[][] cells = {{4}};
        for (int i = 0; i < 1000; i++) {
            Built built = new Built(i);
            total += built.base + built.named(i) + built.abstractly(i) + begins(i) + table(i) + lookup(i);
            total += shapes.arguments(i, i / 3.0, cells, "text", (byte) i) + guarded(i) + greater(i, 500);
            total += overloaded(i) + overloaded((long) i);
            nothing();
        }
        System.out.println(total);
        if (arguments.length > 0) {
            System.exit(Integer.parseInt(arguments[0]));
        }
    }

    static int never() {
        return 1;
    }
}
