/** Accesses whose pairs are known on paper; each case is a method, for n rounds. */
public final class Accesses {
    interface Constants {
        Object LOCK = new Object();
    }

    static class Base {
        int inherited;
        static int common;
    }

    static class Derived extends Base {
        int own;

        /** Its outer object and the local variable are stored before super(). */
        Runnable capturing(int value) {
            return new Runnable() {
                @Override
                public void run() {
                    sink += value + own;
                }
            };
        }
    }

    static int sink;
    static Object kept;

    /** n - 1 silent loads. */
    static void inherited(Derived o, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += o.inherited;
        }
        consume(sum);
    }

    /** One field by two names: 2 n - 1 silent loads. */
    static void common(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Base.common + Derived.common;
        }
        consume(sum);
    }

    /** n - 1 silent loads, and one that began in the interface's initializer is none. */
    static void constant(int n) {
        Object last = null;
        for (int i = 0; i < n; i++) {
            last = Constants.LOCK;
        }
        consume(last.hashCode() == 0 ? 1 : 0);
    }

    /** A reference that returns to what it was is silent, although it was another one in between: n - 1 silent loads. */
    static void returning(Object[] box, Object a, Object b, int n) {
        box[0] = a;
        for (int i = 0; i < n; i++) {
            consume(box[0] == a ? 0 : 1);
            box[0] = b;
            box[0] = a;
        }
    }

    /** A reference that is another one each time: n - 1 loads, none silent. */
    static void changing(Object[] box, int n) {
        for (int i = 0; i < n; i++) {
            box[0] = new int[1];
            consume(box[0] == null ? 1 : 0);
        }
    }

    /** n objects that die young: no pair at all. */
    static void young(int n) {
        for (int i = 0; i < n; i++) {
            Derived o = new Derived();
            o.own = i;
            consume(o.own);
        }
    }

    /** The second of two loads is after a collection: n silent loads of the field, n of the element. */
    static void collected(int n) {
        for (int i = 0; i < n; i++) {
            Derived o = new Derived();
            int[] array = new int[100];
            kept = array;
            consume(o.own + array[99]);
            System.gc();
            consume(o.own + array[99]);
        }
    }

    /** The same elements n times: in each but the first round length silent loads, silent stores and dead stores. */
    static void copies(long[] from, long[] to, int n) {
        for (int i = 0; i < n; i++) {
            System.arraycopy(from, 0, to, 0, from.length);
        }
    }

    /** Within an array, upwards: length - 1 loads, stores of what the first loop stored. */
    static void shifts(int[] array, int n) {
        for (int i = 0; i < array.length; i++) {
            array[i] = i;
        }
        for (int i = 0; i < n; i++) {
            System.arraycopy(array, 0, array, 1, array.length - 1);
        }
    }

    /** Every clone loads all elements: (n - 1) length silent loads, and no pair of stores. */
    static void clones(char[] array, int n) {
        for (int i = 0; i < n; i++) {
            consume(array.clone().length);
        }
    }

    /** An index out of bounds, an array that is null, and one of another type access nothing. */
    static void failing(int[] array, Object[] strings, int n) {
        for (int i = 0; i < n; i++) {
            try {
                consume(array[array.length]);
            } catch (ArrayIndexOutOfBoundsException expected) {
                consume(1);
            }
            try {
                System.arraycopy(array, 0, strings, 0, 1);
            } catch (ArrayStoreException expected) {
                consume(1);
            }
            try {
                consume(((int[]) strings[0])[0]);
            } catch (NullPointerException expected) {
                consume(1);
            }
        }
    }

    /** Stored by this thread and then by another one: no pair. */
    static void first(Derived o, int n) {
        o.own = n;
    }

    static void second(Derived o, int n) {
        o.own = n + 1;
    }

    static void threads(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Derived o = new Derived();
            first(o, i);
            Thread thread = new Thread(() -> second(o, 7));
            thread.start();
            thread.join();
        }
    }

    static int thrower(int depth) {
        if (depth == 0) {
            throw new IllegalStateException();
        }
        return thrower(depth - 1) + 1;
    }

    /** After an exception from ten calls below, this method is where it was. */
    static void caught(Derived o, int n) {
        for (int i = 0; i < n; i++) {
            try {
                consume(thrower(10));
            } catch (IllegalStateException expected) {
                after(o);
            }
        }
    }

    static void after(Derived o) {
        consume(o.own);
    }

    static void consume(int value) {
        if (value == Integer.MIN_VALUE) {
            throw new IllegalArgumentException();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        inherited(new Derived(), n);
        common(n);
        constant(n);
        returning(new Object[1], "a", "b", n);
        changing(new Object[1], n);
        young(n);
        collected(5);
        copies(new long[100], new long[100], n);
        shifts(new int[100], n);
        clones(new char[100], n);
        failing(new int[1], new String[1], n);
        threads(20);
        caught(new Derived(), n);
        new Derived().capturing(3).run();
        System.out.println("done " + sink);
    }
}
