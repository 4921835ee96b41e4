package java.lang;

/**
 * How often one access followed another at the same place, and how often that was wasted, for pairs that a node does not
 * count itself. It belongs to one thread, which alone uses it while it lives.
 */
final class AssayPairs {
    private static final int LEAST = 1 << 5;
    /** What is counted of a pair: all; silent; dead (of stores) or adjacent (of loads). */
    static final int COUNTS = 3;
    static final int UNKNOWN = -1; // of scopes: not looked for yet

    private long[] keys = new long[LEAST]; // both handles; 0: free. At most half of them are in use
    private int[] objects = new int[LEAST];
    private int[] scopes = new int[LEAST];
    private long[] counts = new long[COUNTS * LEAST];
    private int used;

    private static int slot(long key, int object) {
        return (int) ((key ^ object * 0xc2b2ae3d27d4eb4fL) * 0x9e3779b97f4a7c15L >>> 32);
    }

    /** Where the counts of a pair in an object begin, as long as no other is added. */
    int find(int first, int second, int object) {
        long key = (long) first << 32 | second;
        long[] all = keys;
        int mask = all.length - 1;
        int i = slot(key, object) & mask;
        while (all[i] != key || objects[i] != object) {
            if (all[i] == 0) {
                return COUNTS * add(key, object);
            }
            i = i + 1 & mask;
        }
        return COUNTS * i;
    }

    /** The loop of the pair whose counts begin there. */
    int scope(int at) {
        return scopes[at / COUNTS];
    }

    void setScope(int at, int scope) {
        scopes[at / COUNTS] = scope;
    }

    long get(int at) {
        return counts[at];
    }

    /** Adds to the counts that begin there, and returns the first. */
    long add(int at, long events, long silent, long deadOrAdjacent) {
        counts[at + 1] += silent;
        counts[at + 2] += deadOrAdjacent;
        return counts[at] += events;
    }

    void clear(int at) {
        counts[at] = counts[at + 1] = counts[at + 2] = 0;
    }

    private static int free(long[] all, long key, int object) {
        int mask = all.length - 1;
        int i = slot(key, object) & mask;
        while (all[i] != 0) {
            i = i + 1 & mask;
        }
        return i;
    }

    private int add(long key, int object) {
        if (2 * (used + 1) > keys.length) {
            enlarge();
        }
        int at = free(keys, key, object);
        keys[at] = key;
        objects[at] = object;
        scopes[at] = UNKNOWN;
        used++;
        return at;
    }

    private void enlarge() {
        int length = keys.length * 2;
        long[] moved = new long[length], values = new long[COUNTS * length];
        int[] movedObjects = new int[length], movedScopes = new int[length];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                int at = free(moved, keys[i], objects[i]);
                moved[at] = keys[i];
                movedObjects[at] = objects[i];
                movedScopes[at] = scopes[i];
                for (int j = 0; j < COUNTS; j++) {
                    values[COUNTS * at + j] = counts[COUNTS * i + j];
                }
            }
        }
        counts = values;
        objects = movedObjects;
        scopes = movedScopes;
        keys = moved;
    }

    /** Hands over all counts. False: some have to wait for another thread's nodes. */
    boolean drain(int thread) {
        boolean all = true;
        long[] pairs = keys;
        long[] values = counts; // at the end the thread may still run, and enlarge them
        int[] inObjects = objects, inScopes = scopes;
        int length = pairs.length < inScopes.length ? pairs.length : inScopes.length;
        for (int i = 0, at = 0; i < length && i < inObjects.length && at < values.length; i++, at += COUNTS) {
            if (values[at] == 0) {
                continue;
            }
            if (AssayOutput.pair(thread, (int) (pairs[i] >>> 32), (int) pairs[i], inObjects[i], inScopes[i], values[at],
                values[at + 1], values[at + 2])) {
                values[at] = values[at + 1] = values[at + 2] = 0;
            } else {
                all = false;
            }
        }
        return all;
    }
}
