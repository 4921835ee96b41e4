package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Accesses through Unsafe: of an element, of a field, or of neither, since the memory is not in the heap, or holds
 * something of another size. Values of primitive types are bits. The kind is that of the access, as in methods.h.
 */
public final class AssayUnsafe {
    private static final Unsafe UNSAFE = AssayShadow.UNSAFE;

    private AssayUnsafe() {
    }

    /** Finds what the JVM shows, before the first access. */
    static void begin() {
        AssayLayout.begin();
        AssayElements.begin();
    }

    /** After a load. */
    @DontInline
    public static void loaded(long value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node != AssayNode.MUTE) {
            load(value, o, offset, node, access, kind);
        }
    }

    @DontInline
    public static void loaded(Object value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node != AssayNode.MUTE) {
            load(value, o, offset, node, access);
        }
    }

    /** Before a store. */
    @DontInline
    public static void stored(long value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node == AssayNode.MUTE) {
            return;
        }
        int size = kind & 3;
        if (AssayAccess.MEMORY) {
            AssayMemory.at(o, offset, value, node, access, kind);
        } else if (o == null || (offset & (1 << size) - 1) != 0) {
            node.elsewhere(1 << size);
        } else {
            store(read(o, offset, size), value, o, offset, node, access, kind);
        }
    }

    @DontInline
    public static void stored(Object value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node != AssayNode.MUTE && o != null) {
            store(UNSAFE.getReference(o, offset), value, o, offset, node, access);
        }
    }

    /** After a load and a store at once. The store has the next number. */
    @DontInline
    public static void exchanged(long old, long value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node != AssayNode.MUTE) {
            load(old, o, offset, node, access, kind);
            store(old, value, o, offset, node, access + 1, kind);
        }
    }

    @DontInline
    public static void exchanged(Object old, Object value, Object o, long offset, AssayNode node, int access, int kind) {
        if (node != AssayNode.MUTE) {
            load(old, o, offset, node, access);
            store(old, value, o, offset, node, access + 1);
        }
    }

    /** After a load, which a store has followed if it returned the expected value. */
    @DontInline
    public static void compared(long old, long expected, long value, Object o, long offset, AssayNode node, int access,
        int kind) {
        if (old == expected) {
            exchanged(old, value, o, offset, node, access, kind);
        } else {
            loaded(old, o, offset, node, access, kind);
        }
    }

    @DontInline
    public static void compared(Object old, Object expected, Object value, Object o, long offset, AssayNode node, int access,
        int kind) {
        if (old == expected) {
            exchanged(old, value, o, offset, node, access, kind);
        } else {
            loaded(old, o, offset, node, access, kind);
        }
    }

    /** The same where only the success is known; what a failed one has loaded may be another value by now. */
    @DontInline
    public static void compared(boolean done, long expected, long value, Object o, long offset, AssayNode node, int access,
        int kind) {
        if (done) {
            exchanged(expected, value, o, offset, node, access, kind);
        } else {
            loaded(o == null ? 0 : read(o, offset, kind & 3), o, offset, node, access, kind);
        }
    }

    @DontInline
    public static void compared(boolean done, Object expected, Object value, Object o, long offset, AssayNode node,
        int access, int kind) {
        if (done) {
            exchanged(expected, value, o, offset, node, access, kind);
        } else {
            loaded(UNSAFE.getReference(o, offset), o, offset, node, access, kind);
        }
    }

    /** Counts bytes outside of fields and elements. */
    @DontInline
    public static void elsewhere(long bytes, AssayNode node) {
        if (node != AssayNode.MUTE && bytes > 0) {
            node.elsewhere(bytes);
        }
    }

    /** The same for bytes that are loaded and stored. */
    public static void copied(long bytes, AssayNode node) {
        elsewhere(2 * bytes, node);
    }

    /** A value whose bytes are stored in the order that is asked for: what little-endian memory then has. */
    public static long ordered(long value, boolean bigEndian) {
        return bigEndian ? Long.reverseBytes(value) : value;
    }

    public static int ordered(int value, boolean bigEndian) {
        return bigEndian ? Integer.reverseBytes(value) : value;
    }

    public static short ordered(short value, boolean bigEndian) {
        return bigEndian ? (short) ordered(value << 16, true) : value;
    }

    public static char ordered(char value, boolean bigEndian) {
        return bigEndian ? (char) ordered(value << 16, true) : value;
    }

    private static long read(Object o, long offset, int size) {
        switch (size) {
        case 0: return UNSAFE.getByte(o, offset);
        case 1: return UNSAFE.getShort(o, offset);
        case 2: return UNSAFE.getInt(o, offset);
        default: return UNSAFE.getLong(o, offset);
        }
    }

    private static void load(long value, Object o, long offset, AssayNode node, int access, int kind) {
        if (AssayAccess.MEMORY) {
            AssayMemory.at(o, offset, value, node, access, kind);
        } else if (o == null || !AssayElements.loaded(o, value, offset, kind, node, access)) {
            AssayField field = o == null ? null : AssayLayout.find(o, offset, kind);
            if (field != null) {
                field.loaded(o, value, node, access);
            } else {
                node.elsewhere(1 << (kind & 3));
            }
        }
    }

    private static void load(Object value, Object o, long offset, AssayNode node, int access) {
        if (AssayAccess.MEMORY) {
            AssayMemory.at(o, offset, value, node, access);
        } else if (!AssayElements.loaded(o, value, offset, node, access)) {
            AssayField field = AssayLayout.find(o, offset, AssayField.REFERENCE);
            if (field != null) {
                field.loaded(o, value, node, access);
            } else {
                node.elsewhere(1 << AssayAccess.references);
            }
        }
    }

    private static void store(long old, long value, Object o, long offset, AssayNode node, int access, int kind) {
        if (AssayAccess.MEMORY) {
            AssayMemory.at(o, offset, value, node, access, kind);
        } else if (o == null || !AssayElements.stored(o, old, value, offset, kind, node, access)) {
            AssayField field = o == null ? null : AssayLayout.find(o, offset, kind);
            if (field != null) {
                field.stored(o, old, value, node, access);
            } else {
                node.elsewhere(1 << (kind & 3));
            }
        }
    }

    private static void store(Object old, Object value, Object o, long offset, AssayNode node, int access) {
        if (AssayAccess.MEMORY) {
            AssayMemory.at(o, offset, value, node, access);
        } else if (!AssayElements.stored(o, old, value, offset, node, access)) {
            AssayField field = AssayLayout.find(o, offset, AssayField.REFERENCE);
            if (field != null) {
                field.stored(o, old, value, node, access);
            } else {
                node.elsewhere(1 << AssayAccess.references);
            }
        }
    }
}
