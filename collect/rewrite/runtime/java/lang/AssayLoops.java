package java.lang;

/** The loops of a rewritten method, and those around its accesses and calls. They count from 1; 0 is none. */
final class AssayLoops {
    private static final int LOOPS = 0, ACCESSES = 1, CALLS = 2, BEGIN = 3; // in `numbers`, as AssayOutput.loops() has them
    private static final int LOOP = 0xffff, CONSTRUCTOR = 1 << 16;
    private static final int LOOP_BITS = 12, METHODS = 1 << 32 - LOOP_BITS; // of a scope
    static final int MOST = (1 << LOOP_BITS) - 1; // of a method (Loops.MOST)
    private static final AssayLoops NONE = new AssayLoops(new int[BEGIN]), UNKNOWN = new AssayLoops(new int[] {MOST, 0, 0});
    private static volatile AssayLoops[] methods = new AssayLoops[1 << 12];

    private final int[] numbers;

    private AssayLoops(int[] numbers) {
        this.numbers = numbers;
    }

    static AssayLoops of(int method) {
        AssayLoops[] all = methods;
        AssayLoops found = method < all.length ? all[method] : null;
        return found != null ? found : find(method);
    }

    private static synchronized AssayLoops find(int method) {
        AssayLoops[] all = methods;
        if (method >= all.length) {
            AssayLoops[] larger = new AssayLoops[2 * method];
            for (int i = 0; i < all.length; i++) {
                larger[i] = all[i];
            }
            all = larger;
        }
        int[] found = method == 0 ? NONE.numbers : AssayOutput.loops(method);
        all[method] = found == null ? UNKNOWN : found.length == BEGIN ? NONE : new AssayLoops(found);
        methods = all;
        return all[method];
    }

    int count() {
        return numbers[LOOPS];
    }

    /** The loop around a loop. */
    int around(int loop) {
        return numbers[BEGIN + loop - 1];
    }

    /** Whether a loop is another one, or around it. */
    boolean isAround(int loop, int other) {
        int at = other;
        while (at != 0 && at != loop) {
            at = around(at);
        }
        return at == loop;
    }

    int ofAccess(int access) {
        return access < numbers[ACCESSES] ? numbers[BEGIN + numbers[LOOPS] + access] : 0;
    }

    private int call(int call) {
        return call >= 0 && call < numbers[CALLS] ? numbers[BEGIN + numbers[LOOPS] + numbers[ACCESSES] + call] : 0;
    }

    int ofCall(int call) {
        return call(call) & LOOP;
    }

    /** Whether a call is that of another constructor for the same object. */
    boolean isConstructor(int call) {
        return (call(call) & CONSTRUCTOR) != 0;
    }

    /** A loop of any method, as one number; 0: it has none. */
    static int scope(int method, int loop) {
        return method < METHODS - 1 && loop <= MOST ? method << LOOP_BITS | loop : 0;
    }
}
