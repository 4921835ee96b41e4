package java.lang;

import jdk.internal.misc.Unsafe;

/** The fields of a class by their offsets: of its objects, its parents' included, and its static ones. A Class keeps it. */
public final class AssayLayout {
    private static final Unsafe UNSAFE = AssayShadow.UNSAFE;
    private static final long LAYOUT = UNSAFE.objectFieldOffset(Class.class, "assay$layout");
    private static final int NUMBERS = 6; // of a field, from the agent
    private static final AssayField[] NONE = new AssayField[0];
    private static final AssayLayout UNKNOWN = new AssayLayout(NONE, NONE);

    private final AssayField[] fields; // [offset]
    private final AssayField[] statics; // [offset in the Class]

    private AssayLayout(AssayField[] fields, AssayField[] statics) {
        this.fields = fields;
        this.statics = statics;
    }

    static void begin() {
        of(Object.class);
    }

    /** The field at an offset; null: none that has this size. For static fields the object is the Class. */
    static AssayField find(Object o, long offset, int kind) {
        AssayField found = at(of(o.getClass()).fields, offset);
        if (found == null && o instanceof Class) {
            found = at(of((Class<?>) o).statics, offset);
        }
        return found != null && ((found.kind ^ kind) & ~AssayField.FLOATING) == 0 ? found : null;
    }

    /**
     * After Object.clone(): what is known of the original's places is not known of the copy's, which is new. Unless the call
     * was that of another method, which has called Object.clone() itself.
     */
    public static void copied(Object copy, Object original, AssayNode node, int site, int method) {
        if (node == AssayNode.MUTE || AssayBursts.USED && node.isOver() || copy == null || copy == original
            || copy.getClass() != original.getClass()) {
            return;
        }
        AssayField[] fields = of(copy.getClass()).fields;
        int by = node.allocation(site, method);
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] != null) {
                int made = fields[i].made(copy);
                if (made != by && node.hasMade(made, site)) {
                    return;
                }
                break;
            }
        }
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] != null) {
                fields[i].begin(copy, by);
            }
        }
    }

    private static AssayField at(AssayField[] all, long offset) {
        return offset >= 0 && offset < all.length ? all[(int) offset] : null;
    }

    private static AssayLayout of(Class<?> owner) {
        AssayLayout found = (AssayLayout) UNSAFE.getReference(owner, LAYOUT);
        return found == null ? make(owner) : found;
    }

    private static AssayLayout make(Class<?> owner) {
        long[] all = AssayOutput.layout(owner);
        if (all == null) {
            return UNKNOWN;
        }
        Class<?> above = owner.getSuperclass();
        AssayField[] inherited = above == null ? NONE : of(above).fields;
        AssayField[] fields = table(all, inherited, false);
        for (int i = 0; i < inherited.length; i++) {
            fields[i] = inherited[i];
        }
        AssayField[] statics = table(all, NONE, true);
        for (int i = 0; i < all.length; i += NUMBERS) {
            int offset = (int) all[i + 1];
            if (all[i] > 0) {
                fields[offset] = new AssayField((char) all[i], all[i + 2], all[i + 3], all[i + 4], all[i + 5], null);
            } else {
                statics[offset] = new AssayField((char) -all[i], 0, 0, 0, 0, AssayStatic.numbered((int) all[i + 2]));
            }
        }
        AssayLayout made = new AssayLayout(fields, statics);
        UNSAFE.putReferenceRelease(owner, LAYOUT, made);
        return made;
    }

    /** A table with space for all offsets. */
    private static AssayField[] table(long[] all, AssayField[] inherited, boolean isStatic) {
        int length = inherited.length;
        for (int i = 0; i < all.length; i += NUMBERS) {
            if (all[i] < 0 == isStatic && all[i + 1] >= length) {
                length = (int) all[i + 1] + 1;
            }
        }
        return length == 0 ? NONE : new AssayField[length];
    }
}
