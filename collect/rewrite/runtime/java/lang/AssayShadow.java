package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/**
 * What is known of the elements of an array. All are in tables by the array's identity hash code, which does not change
 * when the collector moves the array.
 */
final class AssayShadow extends WeakReference<Object> {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();
    static final boolean NARROW = UNSAFE.arrayIndexScale(Object[].class) == 4; // references
    /** Where a thread keeps its AssayThread, and where while nothing of the thread is recorded. */
    static final long THREAD = UNSAFE.objectFieldOffset(Thread.class, "assay$thread");
    static final long ASIDE = UNSAFE.objectFieldOffset(Thread.class, "assay$aside");

    private static final int PARTS = 1 << 6; // with a lock each
    private static final int LEAST = 1 << 8;
    private static final Part[] parts = new Part[PARTS];
    private static final int TIMES_SHARE = 8; // they take at most this part of the heap
    private static long timedMost; // elements
    private static long timedNow; // at most: those of arrays that are gone may be among them
    private static long refused; // elements since these were last counted

    static {
        for (int i = 0; i < PARTS; i++) {
            parts[i] = new Part();
        }
    }

    private AssayShadow next;
    private final int hash;
    long lengthLoad; // the last load of the array's length
    private int[] loads; // of each element the handle of its last load, and, if times are kept, its time
    private int[] stores;
    private int timed; // 1: times are kept
    private final int born; // what its elements have if it is new in this burst
    final int made; // the handle of its allocation; 0: unknown
    Object kept; // an array of the values that were loaded last; null: none yet

    private AssayShadow(Object array, int hash, int born, int made) {
        super(array);
        this.hash = hash;
        this.born = born;
        this.made = made;
    }

    private synchronized void makeTables(int length) {
        if (loads == null && stores == null && length <= Integer.MAX_VALUE / 4 && takes(length)) {
            timed = 1;
        }
        if (AssayAccess.LOADS && loads == null) {
            loads = new int[length << timed];
        }
        if (AssayAccess.STORES && stores == null) {
            stores = new int[length << timed];
        }
    }

    /** Whether the times of so many elements more can be kept. If there are too many, those that live are counted again. */
    private static synchronized boolean takes(int elements) {
        if (timedNow + elements > timedMost && (refused += elements) >= timedMost / TIMES_SHARE) {
            refused = 0;
            timedNow = 0;
            for (int i = 0; i < PARTS; i++) {
                timedNow += parts[i].timed();
            }
        }
        boolean fits = timedNow + elements <= timedMost;
        timedNow += fits ? elements : 0;
        return fits;
    }

    /** The last load of an element, as AssayAccess has it; without a time the high half is 0. */
    long load(int index) {
        return word(loads, index);
    }

    /** Whether an element has been loaded, in a run without bursts. */
    boolean isLoaded(int index) {
        return loads[index << timed] != 0;
    }

    long store(int index) {
        return word(stores, index);
    }

    private long word(int[] table, int index) {
        int at = index << timed;
        return last((timed == 0 ? 0 : (long) table[at + 1] << 32) | table[at] & 0xffffffffL);
    }

    void setLoad(int index, long word) {
        set(loads, index, word);
    }

    void setStore(int index, long word) {
        set(stores, index, word);
    }

    private void set(int[] table, int index, long word) {
        int at = index << timed;
        table[at] = (int) word;
        if (timed != 0) {
            table[at + 1] = (int) (word >>> 32);
        }
    }

    private int timedElements() {
        int[] table = loads != null ? loads : stores;
        return timed == 0 || table == null ? 0 : table.length >> 1;
    }

    /** The shadow of an array of which no element may ever be accessed. */
    static AssayShadow of(Object array) {
        int hash = System.identityHashCode(array) * 0x9e3779b9;
        Part part = parts[hash >>> 26];
        AssayShadow found = part.search(array, hash);
        return found != null ? found : part.find(array, hash, 0, 0);
    }

    static AssayShadow of(Object array, int length) {
        AssayShadow found = of(array);
        if (AssayAccess.LOADS && found.loads == null || AssayAccess.STORES && found.stores == null) {
            found.makeTables(length);
        }
        return found;
    }

    static void begin() {
        long each = 4 * ((AssayAccess.LOADS ? 1 : 0) + (AssayAccess.STORES ? 1 : 0)); // bytes
        timedMost = each == 0 ? 0 : Runtime.getRuntime().maxMemory() / TIMES_SHARE / each;
    }

    /** What is known from a burst that has ended is worth nothing. */
    static void forget() {
        for (int i = 0; i < PARTS; i++) {
            parts[i].forget();
        }
    }

    /** An array that is new. It has tables as soon as it is accessed. */
    static void begin(Object array, int born, int made) {
        int hash = System.identityHashCode(array) * 0x9e3779b9;
        parts[hash >>> 26].find(array, hash, born, made);
    }

    /** The last access of an element, for which the table has `last`. */
    long last(long last) {
        return AssayBursts.USED && !AssayBursts.isKnown(last) && AssayBursts.isKnown(born) ? born : last;
    }

    private static final class Part {
        private AssayShadow[] table = new AssayShadow[LEAST];
        private int used;

        /** Elements of arrays that live whose times are kept. */
        synchronized long timed() {
            long sum = 0;
            for (int i = 0; i < table.length; i++) {
                for (AssayShadow at = table[i]; at != null; at = at.next) {
                    sum += at.refersTo(null) ? 0 : at.timedElements();
                }
            }
            return sum;
        }

        AssayShadow search(Object array, int hash) {
            AssayShadow[] all = table;
            AssayShadow at = all[hash >>> 4 & all.length - 1];
            while (at != null && !at.refersTo(array)) {
                at = at.next;
            }
            return at;
        }

        synchronized AssayShadow find(Object array, int hash, int born, int made) {
            AssayShadow found = search(array, hash);
            if (found == null) {
                found = new AssayShadow(array, hash, born, made);
                if (++used > table.length) {
                    clean();
                }
                put(table, found);
            }
            return found;
        }

        synchronized void forget() {
            table = new AssayShadow[LEAST];
            used = 0;
        }

        private static void put(AssayShadow[] all, AssayShadow shadow) {
            int i = shadow.hash >>> 4 & all.length - 1;
            shadow.next = all[i];
            all[i] = shadow;
        }

        /** Forgets those whose arrays are gone; others may search meanwhile, in vain, and will then wait for the lock. */
        private void clean() {
            AssayShadow[] old = table;
            int alive = 0;
            for (int i = 0; i < old.length; i++) {
                for (AssayShadow at = old[i]; at != null; at = at.next) {
                    alive += at.refersTo(null) ? 0 : 1;
                }
            }
            int length = LEAST;
            while (length < 2 * alive) {
                length *= 2;
            }
            AssayShadow[] fresh = new AssayShadow[length];
            used = 1;
            for (int i = 0; i < old.length; i++) {
                for (AssayShadow at = old[i], rest; at != null; at = rest) {
                    rest = at.next;
                    if (!at.refersTo(null)) {
                        put(fresh, at);
                        used++;
                    }
                }
            }
            table = fresh;
        }
    }
}
