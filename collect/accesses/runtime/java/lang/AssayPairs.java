package java.lang;

/**
 * How often one access followed another at the same place, and how often that was wasted. One thread counts; another one
 * may drain at the same time.
 */
final class AssayPairs {
    private static final int LEAST = 1 << 5;

    private long[] keys = new long[LEAST]; // both handles; 0: free. At most half of them are in use
    private long[] counts = new long[2 * LEAST]; // of each key: all, wasted
    private long[] written = new long[2 * LEAST]; // the part of them that is in the output
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
        if (wasted) { // before the other, which drain() reads first
            counts[2 * i + 1]++;
        }
        counts[2 * i]++;
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
            enlarge();
        }
        int at = find(keys, key);
        keys[at] = key;
        used++;
        return at;
    }

    private synchronized void enlarge() {
        long[] moved = new long[keys.length * 2];
        long[] values = new long[counts.length * 2];
        long[] known = new long[counts.length * 2];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                int at = find(moved, keys[i]);
                moved[at] = keys[i];
                values[2 * at] = counts[2 * i];
                values[2 * at + 1] = counts[2 * i + 1];
                known[2 * at] = written[2 * i];
                known[2 * at + 1] = written[2 * i + 1];
            }
        }
        written = known;
        counts = values;
        keys = moved;
    }

    /** Hands over what has been counted since the last time. False: not all of it, as nodes are not known yet. */
    synchronized boolean drain(int thread, int kind) {
        boolean all = true;
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == 0 || counts[2 * i] == written[2 * i]) {
                continue;
            }
            long events = counts[2 * i] - written[2 * i];
            long more = counts[2 * i + 1] - written[2 * i + 1];
            long wasted = more < events ? more : events; // an event that is being counted is one of the next time
            if (AssayOutput.pair(thread, kind, (int) (keys[i] >>> 32), (int) keys[i], events, wasted)) {
                written[2 * i] += events;
                written[2 * i + 1] += wasted;
            } else {
                all = false;
            }
        }
        return all;
    }
}
