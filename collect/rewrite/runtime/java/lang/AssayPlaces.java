package java.lang;

import java.lang.ref.WeakReference;

/**
 * Where fields are, for mode memory. Classes refer to them by numbers of references; what one means is asked when it is
 * first used, which is after the class that has the field was initialized.
 */
final class AssayPlaces {
    private static final long NONE = -1;
    private static volatile long[] offsets = new long[1 << 10]; // 0: not known yet
    private static volatile Owner[] owners = new Owner[1 << 10]; // of static fields

    private AssayPlaces() {
    }

    /** Its classes are there before a thread can lack the stack to initialize them. */
    static void begin() {
        owners[0] = new Owner(null); // numbers count from 1
    }

    /** The class that has a static field: its object holds the field. It may be unloaded. */
    private static final class Owner extends WeakReference<Class<?>> {
        Owner(Class<?> owner) {
            super(owner);
        }
    }

    /** The offset of a field in its object, or of a static field in its class; less than 0: it can't be found. */
    static long offset(int reference) {
        long[] all = offsets;
        long found = reference < all.length ? all[reference] : 0;
        return found != 0 ? found : findOffset(reference);
    }

    private static synchronized long findOffset(int reference) {
        long found = AssayOutput.offset(reference);
        long[] all = offsets;
        if (reference >= all.length) {
            long[] larger = new long[capacityFor(reference, all.length)];
            for (int i = 0; i < all.length; i++) {
                larger[i] = all[i];
            }
            all = larger;
        }
        all[reference] = found > 0 ? found : NONE;
        offsets = all;
        return all[reference];
    }

    /** The class that has a static field; null: it can't be found. */
    static Class<?> owner(int reference) {
        Owner[] all = owners;
        Owner found = reference < all.length ? all[reference] : null;
        return found != null ? found.get() : findOwner(reference);
    }

    private static synchronized Class<?> findOwner(int reference) {
        Class<?> found = AssayOutput.owner(reference);
        Owner[] all = owners;
        if (reference >= all.length) {
            Owner[] larger = new Owner[capacityFor(reference, all.length)];
            for (int i = 0; i < all.length; i++) {
                larger[i] = all[i];
            }
            all = larger;
        }
        all[reference] = new Owner(found);
        owners = all;
        return found;
    }

    private static int capacityFor(int index, int length) {
        while (length <= index) {
            length *= 2;
        }
        return length;
    }
}
