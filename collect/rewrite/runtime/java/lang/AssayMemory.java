package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Mode memory: what rewritten code calls after each access, and at the headers of loops. Nothing is added to objects, so that they stay where the
 * program has them. A value is the bits of a primitive type, zero-extended, or the address that a reference means. This
 * class is used before the JVM is live, so its initializer must need nothing.
 */
public final class AssayMemory {
    static final boolean VALUES = AssayModes.memory() == 2;

    private AssayMemory() {
    }

    /** The agent calls this when the JVM is live. */
    static void begin() {
        AssayAddress.begin();
        AssayPlaces.begin();
    }

    private static void report(Object o, long offset, long value, AssayNode node, int access) {
        node.thread.words.put(o, offset, value, node, access);
    }

    private static void report(Object o, long offset, Object value, AssayNode node, int access) {
        AssayWords words = node.thread.words;
        words.put(o, offset, VALUES && value != null ? words.addressOf(value) : 0, node, access);
    }

    /** A loop begins, or iterates. */
    @DontInline
    public static void pass(AssayNode node, int loop) {
        if (node != AssayNode.MUTE) {
            node.thread.words.pass(node, loop);
        }
    }

    /* ---------------------------------------------------------------------------------------- fields -- */

    @DontInline
    public static void field(Object o, long value, AssayNode node, int access, int reference) {
        if (node != AssayNode.MUTE) {
            long offset = AssayPlaces.offset(reference);
            if (offset > 0) {
                report(o, offset, value, node, access);
            }
        }
    }

    @DontInline
    public static void field(Object o, Object value, AssayNode node, int access, int reference) {
        if (node != AssayNode.MUTE) {
            long offset = AssayPlaces.offset(reference);
            if (offset > 0) {
                report(o, offset, value, node, access);
            }
        }
    }

    /** After a constructor has called another one: a store before that, by an access whose number is one less; 0: none. */
    public static void early(Object o, long value, AssayNode node, int next, int reference) {
        if (next != 0) {
            field(o, value, node, next - 1, reference);
        }
    }

    public static void early(Object o, Object value, AssayNode node, int next, int reference) {
        if (next != 0) {
            field(o, value, node, next - 1, reference);
        }
    }

    @DontInline
    public static void fixed(long value, AssayNode node, int access, int reference) {
        Class<?> owner = node == AssayNode.MUTE ? null : AssayPlaces.owner(reference);
        if (owner != null) {
            report(owner, AssayPlaces.offset(reference), value, node, access);
        }
    }

    @DontInline
    public static void fixed(Object value, AssayNode node, int access, int reference) {
        Class<?> owner = node == AssayNode.MUTE ? null : AssayPlaces.owner(reference);
        if (owner != null) {
            report(owner, AssayPlaces.offset(reference), value, node, access);
        }
    }

    /* ---------------------------------------------------------------------------------------- elements -- */

    /** Reports an element of a byte[], or of a boolean[], whose elements have one bit. */
    @DontInline
    public static void element1(Object array, int index, long value, AssayNode node, int access) {
        if (node != AssayNode.MUTE) {
            report(array, AssayAddress.BYTES + index, array instanceof boolean[] ? value & 1 : value, node, access);
        }
    }

    @DontInline
    public static void element2(Object array, int index, long value, AssayNode node, int access) {
        if (node != AssayNode.MUTE) {
            report(array, AssayAddress.SHORTS + 2L * index, value, node, access);
        }
    }

    @DontInline
    public static void element4(Object array, int index, long value, AssayNode node, int access) {
        if (node != AssayNode.MUTE) {
            report(array, AssayAddress.INTS + 4L * index, value, node, access);
        }
    }

    @DontInline
    public static void element8(Object array, int index, long value, AssayNode node, int access) {
        if (node != AssayNode.MUTE) {
            report(array, AssayAddress.LONGS + 8L * index, value, node, access);
        }
    }

    @DontInline
    public static void element(Object array, int index, Object value, AssayNode node, int access) {
        if (node != AssayNode.MUTE) {
            report(array, AssayAddress.REFERENCES + ((long) index << AssayAccess.references), value, node, access);
        }
    }

    /* ---------------------------------------------------------------------------------------- calls -- */

    /** Through Unsafe; without an object the offset is the address. */
    static void at(Object o, long offset, long value, AssayNode node, int access, int kind) {
        int size = kind & 3;
        report(o, offset, size == 3 ? value : value & (1L << (8 << size)) - 1, node, access);
    }

    static void at(Object o, long offset, Object value, AssayNode node, int access) {
        report(o, offset, value, node, access);
    }

    /** Elements are loaded, then stored elsewhere by the next access. Both arrays have elements of the same kind. */
    static void copy(Object from, int at, Object to, int position, int length, AssayNode node, int access) {
        if (from instanceof Object[]) {
            copyReferences((Object[]) from, at, (Object[]) to, position, length, node, access);
            return;
        }
        int size = from instanceof byte[] || from instanceof boolean[] ? 0
            : from instanceof char[] || from instanceof short[] ? 1 : from instanceof int[] || from instanceof float[] ? 2 : 3;
        long base = size == 0 ? AssayAddress.BYTES : size == 1 ? AssayAddress.SHORTS
            : size == 2 ? AssayAddress.INTS : AssayAddress.LONGS;
        for (int i = 0; i < length; i++) {
            report(from, base + ((long) (at + i) << size), element(from, base, at + i, size), node, access);
        }
        for (int i = 0; i < length; i++) {
            report(to, base + ((long) (position + i) << size), element(from, base, at + i, size), node, access + 1);
        }
    }

    private static long element(Object array, long base, int index, int size) {
        long offset = base + ((long) index << size);
        Unsafe unsafe = AssayShadow.UNSAFE;
        switch (size) {
        case 0: return unsafe.getByte(array, offset) & 0xff;
        case 1: return unsafe.getChar(array, offset);
        case 2: return unsafe.getInt(array, offset) & 0xffffffffL;
        default: return unsafe.getLong(array, offset);
        }
    }

    /** Those before the first that can't be stored. */
    private static void copyReferences(Object[] from, int at, Object[] to, int position, int all, AssayNode node, int access) {
        int length = from.getClass() == to.getClass() ? all : 0;
        while (length < all && AssayReferenceArray.takes(to, from[at + length])) {
            length++;
        }
        for (int i = 0; i < length; i++) {
            element(from, at + i, from[at + i], node, access);
        }
        for (int i = 0; i < length; i++) {
            element(to, position + i, from[at + i], node, access + 1);
        }
    }
}
