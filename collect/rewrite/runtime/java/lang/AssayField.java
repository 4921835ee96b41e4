package java.lang;

import jdk.internal.misc.Unsafe;

/** A field that is found by its offset. Values of primitive types are bits. */
final class AssayField {
    static final int FLOATING = 4, REFERENCE = 16; // as in methods.h

    private static final Unsafe UNSAFE = AssayShadow.UNSAFE;

    private final char type; // as in descriptors
    final int kind;
    private final long last; // offsets of what an object has beside the field: the last load …
    private final long kept; // … the value that it returned …
    private final long store; // … the last store …
    private final long made; // … and of which allocation it is
    private final AssayStatic shadow; // what is known of a static field

    AssayField(char type, long last, long kept, long store, long made, AssayStatic shadow) {
        this.type = type;
        this.kind = kindOf(type);
        this.last = last;
        this.kept = kept;
        this.store = store;
        this.made = made;
        this.shadow = shadow;
    }

    private static int kindOf(char type) {
        switch (type) {
        case 'J': return 3;
        case 'D': return 3 | FLOATING;
        case 'F': return 2 | FLOATING;
        case 'I': return 2;
        case 'C': case 'S': return 1;
        case 'B': case 'Z': return 0;
        default: return REFERENCE;
        }
    }

    /** The bits as a value of the field's type has them. */
    private long cut(long bits) {
        switch (type) {
        case 'Z': return bits & 1;
        case 'B': return (byte) bits;
        case 'C': return (char) bits;
        case 'S': return (short) bits;
        case 'I': case 'F': return (int) bits;
        default: return bits;
        }
    }

    private boolean same(long now, long before) {
        return type == 'F' ? AssayAccess.same(Float.intBitsToFloat((int) now), Float.intBitsToFloat((int) before))
            : type == 'D' ? AssayAccess.same(Double.longBitsToDouble(now), Double.longBitsToDouble(before))
            : cut(now) == cut(before);
    }

    private long kept(Object o) {
        switch (kind & 3) {
        case 0: return UNSAFE.getByte(o, kept);
        case 1: return UNSAFE.getShort(o, kept);
        case 2: return UNSAFE.getInt(o, kept);
        default: return UNSAFE.getLong(o, kept);
        }
    }

    private void keep(Object o, long value) {
        switch (kind & 3) {
        case 0: UNSAFE.putByte(o, kept, (byte) cut(value)); break;
        case 1: UNSAFE.putShort(o, kept, (short) value); break;
        case 2: UNSAFE.putInt(o, kept, (int) value); break;
        default: UNSAFE.putLong(o, kept, value); break;
        }
    }

    private void setLoaded(Object o) {
        if (AssayAccess.STORES) {
            UNSAFE.putLong(o, store, AssayAccess.loaded(UNSAFE.getLong(o, store)));
        }
    }

    private void count(Object o, boolean same, AssayNode node, int access, int size) {
        UNSAFE.putLong(o, last, node.loaded(UNSAFE.getLong(o, last), access, same, size, UNSAFE.getInt(o, made)));
    }

    private void countStore(Object o, boolean same, AssayNode node, int access, int size) {
        if (AssayAccess.STORES) {
            UNSAFE.putLong(o, store, node.stored(UNSAFE.getLong(o, store), access, same, 8 | size, UNSAFE.getInt(o, made)));
        }
    }

    /** The handle of the allocation of an object that has the field. */
    int made(Object o) {
        return UNSAFE.getInt(o, made);
    }

    /** Makes the field of a copy a new place. */
    void begin(Object copy, int by) {
        UNSAFE.putLong(copy, last, AssayBursts.fresh(0));
        UNSAFE.putLong(copy, store, AssayBursts.fresh(0));
        UNSAFE.putInt(copy, made, by);
        if (kind == REFERENCE) {
            UNSAFE.putReference(copy, kept, null);
        }
    }

    void loaded(Object o, long value, AssayNode node, int access) {
        if (shadow != null) {
            shadow.loaded(cut(value), same(value, shadow.kept()), node, access, kind);
            return;
        }
        if (AssayAccess.LOADS) {
            count(o, same(value, kept(o)), node, access, kind);
            keep(o, value);
        }
        setLoaded(o);
    }

    void loaded(Object o, Object value, AssayNode node, int access) {
        if (shadow != null) {
            shadow.loaded(value, node, access);
            return;
        }
        if (AssayAccess.LOADS) {
            Object before = UNSAFE.getReference(o, kept);
            count(o, AssayAccess.same(value, before), node, access, AssayAccess.references);
            UNSAFE.putReference(o, kept, AssayAccess.kept(before, value));
        }
        setLoaded(o);
    }

    void stored(Object o, long old, long value, AssayNode node, int access) {
        if (shadow != null) {
            shadow.storedOver(same(value, old), node, access, kind);
        } else {
            countStore(o, same(value, old), node, access, kind);
        }
    }

    void stored(Object o, Object old, Object value, AssayNode node, int access) {
        if (shadow != null) {
            shadow.storedOver(old, value, node, access);
            return;
        }
        if (AssayAccess.LOADS) {
            Object known = UNSAFE.getReference(o, kept);
            if (known != null) {
                UNSAFE.putReference(o, kept, AssayAccess.kept(known, old, value, node));
            }
        }
        countStore(o, value == old, node, access, AssayAccess.references);
    }
}
