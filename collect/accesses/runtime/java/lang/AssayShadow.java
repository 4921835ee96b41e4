package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/**
 * What is known of the elements of an array. All are in a table by the address that the array has now; the table is
 * filled anew when an array is not found there and the collector has moved objects since it was filled.
 */
final class AssayShadow extends WeakReference<Object> {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();
    static final long HELD = UNSAFE.objectFieldOffset(AssayThread.class, "held");
    static final boolean NARROW = UNSAFE.arrayIndexScale(Object[].class) == 4;
    /** Where a thread keeps its AssayThread, and where while nothing of the thread is recorded. */
    static final long THREAD = UNSAFE.objectFieldOffset(Thread.class, "assay$thread");
    static final long ASIDE = UNSAFE.objectFieldOffset(Thread.class, "assay$aside");
    private static final int LEAST = 1 << 14;

    private static long epoch; // the address of a number that changes whenever the collector begins or ends
    private static AssayShadow[] table = new AssayShadow[LEAST];
    private static int used;
    private static int filled; // the epoch in which the table was filled

    private AssayShadow next;
    final int[] loads; // the last load of each element
    final int[] stores;
    Object kept; // an array of the values that were loaded last; null: none yet

    private AssayShadow(Object array, int length) {
        super(array);
        loads = AssayAccess.LOADS ? new int[length] : null;
        stores = AssayAccess.STORES ? new int[length] : null;
    }

    static void begin(long address) {
        epoch = address;
    }

    private static int place(long address, int mask) {
        return (int) (address * 0x9e3779b97f4a7c15L >>> 36) & mask;
    }

    private static int now() {
        return UNSAFE.getIntVolatile(null, epoch);
    }

    private static AssayShadow search(AssayShadow[] all, Object array, AssayThread thread) {
        AssayShadow at = all[place(thread.address(array), all.length - 1)];
        while (at != null && !at.refersTo(array)) {
            at = at.next;
        }
        return at;
    }

    static AssayShadow of(Object array, int length, AssayThread thread) {
        AssayShadow found = search(table, array, thread);
        return found != null ? found : find(array, length, thread);
    }

    private static synchronized AssayShadow find(Object array, int length, AssayThread thread) {
        AssayShadow made = null;
        while (true) {
            int current = now();
            if (current != filled) {
                fill(thread, current);
            }
            AssayShadow found = search(table, array, thread);
            if (found != null) {
                return found;
            }
            if (made == null) {
                made = new AssayShadow(array, length); // which may start the collector
                continue;
            }
            int i = place(thread.address(array), table.length - 1);
            if (now() == filled) {
                made.next = table[i];
                table[i] = made;
                filled -= ++used > table.length ? 1 : 0; // too full: the next search fills it anew
                return made;
            }
        }
    }

    /** Puts all shadows where their arrays are by now, and forgets those whose arrays are gone. */
    private static void fill(AssayThread thread, int current) {
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
        used = 0;
        for (int i = 0; i < old.length; i++) {
            for (AssayShadow at = old[i], rest; at != null; at = rest) {
                rest = at.next;
                Object array = at.get();
                if (array != null) {
                    int place = place(thread.address(array), length - 1);
                    at.next = fresh[place];
                    fresh[place] = at;
                    used++;
                }
            }
        }
        table = fresh;
        filled = current;
    }
}
