package java.lang;

/** How often one access followed another at the same place, and how often that was wasted. */
final class AssayPairs {
    private long[] keys = new long[1 << 8]; // both handles; 0: free. At most half of them are in use
    private long[] counts = new long[2 << 8]; // of each key: all, wasted
    private int used;

    private static int place(long key) {
        return (int) (key * 0x9e3779b97f4a7c15L >>> 40);
    }

    void count(int first, int second, boolean wasted) {
        long key = (long) first << 32 | second;
        long[] all = keys;
        int mask = all.length - 1;
        int i = place(key) & mask;
        while (all[i] != key) {
            if (all[i] == 0) {
                i = add(key);
                break;
            }
            i = i + 1 & mask;
        }
        counts[2 * i]++;
        if (wasted) {
            counts[2 * i + 1]++;
        }
    }

    private static int find(long[] all, long key) {
        int mask = all.length - 1;
        int i = place(key) & mask;
        while (all[i] != 0) {
            i = i + 1 & mask;
        }
        return i;
    }

    private int add(long key) {
        if (2 * (used + 1) > keys.length) {
            long[] moved = new long[keys.length * 2];
            long[] values = new long[counts.length * 2];
            for (int i = 0; i < keys.length; i++) {
                if (keys[i] != 0) {
                    int at = find(moved, keys[i]);
                    moved[at] = keys[i];
                    values[2 * at] = counts[2 * i];
                    values[2 * at + 1] = counts[2 * i + 1];
                }
            }
            counts = values;
            keys = moved;
        }
        int at = find(keys, key);
        keys[at] = key;
        used++;
        return at;
    }

    /** Hands over all counts. */
    void finish(int thread, int kind) {
        long[] all = keys;
        long[] values = counts;
        for (int i = 0; i < all.length && 2 * i < values.length; i++) {
            if (all[i] != 0) {
                long wasted = values[2 * i + 1];
                AssayOutput.pair(thread, kind, (int) (all[i] >>> 32), (int) all[i], values[2 * i], wasted);
            }
        }
    }
}
