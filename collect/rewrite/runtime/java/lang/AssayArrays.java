package java.lang;

import jdk.internal.vm.annotation.DontInline;

/** Accesses of arrays whose type the instruction does not give, and calls that stand for accesses. */
public final class AssayArrays {
    private AssayArrays() {
    }

    @DontInline
    public static void load(Object array, int index, AssayNode node, int access) {
        if (array instanceof byte[]) {
            AssayByteArray.load((byte[]) array, index, node, access);
        } else {
            AssayBooleanArray.load((boolean[]) array, index, node, access);
        }
    }

    @DontInline
    public static void store(Object array, int index, int value, AssayNode node, int access) {
        if (array instanceof byte[]) {
            AssayByteArray.store((byte[]) array, index, (byte) value, node, access);
        } else {
            AssayBooleanArray.store((boolean[]) array, index, (value & 1) != 0, node, access);
        }
    }

    private static int length(Object array) {
        return array instanceof Object[] ? ((Object[]) array).length
            : array instanceof byte[] ? ((byte[]) array).length
            : array instanceof int[] ? ((int[]) array).length
            : array instanceof char[] ? ((char[]) array).length
            : array instanceof long[] ? ((long[]) array).length
            : array instanceof double[] ? ((double[]) array).length
            : array instanceof float[] ? ((float[]) array).length
            : array instanceof short[] ? ((short[]) array).length
            : array instanceof boolean[] ? ((boolean[]) array).length : -1;
    }

    /** Before an arraylength instruction: it loads what it has always loaded. */
    @DontInline
    public static void loadLength(Object array, AssayNode node, int access) {
        if (AssayAccess.LOADS && array != null && node != AssayNode.MUTE) {
            AssayShadow shadow = AssayShadow.of(array);
            shadow.lengthLoad = node.loaded(shadow.last(shadow.lengthLoad), access, true, 2, shadow.made);
        }
    }

    private static boolean isRange(Object array, int at, int length) {
        return array != null && at >= 0 && length >= 0 && at <= length(array) - length;
    }

    /**
     * Whether a copy loads the last element first: within an array toward its end, as every copy must that holds no more
     * than an element. It matters only where a load is compared with those of other elements.
     */
    static boolean isBackward(Object from, int at, Object to, int position) {
        return AssayAccess.ADJACENT && from == to && at < position;
    }

    /** Which accesses of a call of System.arraycopy() its array's elements have: two for each kind. */
    private static int shift(Object array) {
        return array instanceof byte[] || array instanceof boolean[] ? 0
            : array instanceof char[] || array instanceof short[] ? 2
            : array instanceof int[] ? 4
            : array instanceof long[] ? 6
            : array instanceof float[] ? 8
            : array instanceof double[] ? 10 : 12;
    }

    /** Before System.arraycopy(): elements are loaded, then stored by the next access; not if the call will fail. */
    public static void copy(Object from, int at, Object to, int position, int length, AssayNode node, int access) {
        if (node == AssayNode.MUTE || !isRange(from, at, length) || !isRange(to, position, length)) {
            return;
        }
        if (from.getClass() == to.getClass() || from instanceof Object[] && to instanceof Object[]) {
            copyElements(from, at, to, position, length, node, access + shift(from));
        }
    }

    /** After an array, and those that are its elements in so many dimensions, have been made. */
    @DontInline
    public static void made(Object array, int dimensions, AssayNode node, int site, int method) {
        if (!AssayAccess.MEMORY && node != AssayNode.MUTE && !(AssayBursts.USED && node.isOver())) {
            begin(array, dimensions, (int) AssayBursts.fresh(0), node.allocation(site, method));
        }
    }

    private static void begin(Object array, int dimensions, int born, int made) {
        if (length(array) == 0) {
            return;
        }
        AssayShadow.begin(array, born, made);
        if (dimensions > 1) {
            Object[] parts = (Object[]) array;
            for (int i = 0; i < parts.length; i++) {
                begin(parts[i], dimensions - 1, born, made);
            }
        }
    }

    /** After clone() of an array. */
    public static Object cloned(Object copy, Object original, AssayNode node, int access, int site, int method) {
        made(copy, 1, node, site, method);
        if (node != AssayNode.MUTE) {
            copyElements(original, 0, copy, 0, length(copy), node, access);
        }
        return copy;
    }

    private static void copyElements(Object from, int at, Object to, int position, int length, AssayNode node, int access) {
        if (AssayAccess.MEMORY) {
            AssayMemory.copy(from, at, to, position, length, node, access);
        } else if (from instanceof Object[]) {
            AssayReferenceArray.copy((Object[]) from, at, (Object[]) to, position, length, node, access);
        } else if (from instanceof byte[]) {
            AssayByteArray.copy((byte[]) from, at, (byte[]) to, position, length, node, access);
        } else if (from instanceof char[]) {
            AssayCharArray.copy((char[]) from, at, (char[]) to, position, length, node, access);
        } else if (from instanceof int[]) {
            AssayIntArray.copy((int[]) from, at, (int[]) to, position, length, node, access);
        } else if (from instanceof long[]) {
            AssayLongArray.copy((long[]) from, at, (long[]) to, position, length, node, access);
        } else if (from instanceof double[]) {
            AssayDoubleArray.copy((double[]) from, at, (double[]) to, position, length, node, access);
        } else if (from instanceof float[]) {
            AssayFloatArray.copy((float[]) from, at, (float[]) to, position, length, node, access);
        } else if (from instanceof short[]) {
            AssayShortArray.copy((short[]) from, at, (short[]) to, position, length, node, access);
        } else {
            AssayBooleanArray.copy((boolean[]) from, at, (boolean[]) to, position, length, node, access);
        }
    }
}
