/** Numbers that look random, the same as in the programs in C (../native/numbers.h). */
final class Numbers {
    private long state;

    Numbers(long seed) {
        state = seed;
    }

    /** 0 to count - 1. */
    int next(int count) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % count);
    }

    /** The data has been built: with the property strides.collect, the JVM collects its garbage now. */
    static void built() {
        if (Boolean.getBoolean("strides.collect")) {
            System.gc();
        }
    }

    /** How many rounds a program makes: so many, times its first argument, but at least one. */
    static int rounds(String[] arguments, int rounds) {
        double scale = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 1;
        return Math.max(1, (int) (rounds * scale));
    }
}
