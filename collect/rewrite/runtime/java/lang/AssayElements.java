package java.lang;

/** Elements of arrays that are found by their offset. Each function is false if there is no element of this size. */
final class AssayElements {
    private static final long BYTES = AssayOutput.constant("ARRAY_BYTE_BASE_OFFSET");
    private static final long SHORTS = AssayOutput.constant("ARRAY_SHORT_BASE_OFFSET");
    private static final long INTS = AssayOutput.constant("ARRAY_INT_BASE_OFFSET");
    private static final long LONGS = AssayOutput.constant("ARRAY_LONG_BASE_OFFSET");
    private static final long OBJECTS = AssayOutput.constant("ARRAY_OBJECT_BASE_OFFSET");

    private AssayElements() {
    }

    static void begin() { // the constants are there now
    }

    /** The index of an element at an offset; -1: there is none. */
    private static int index(long offset, int size) {
        long at = offset - (size == 0 ? BYTES : size == 1 ? SHORTS : size == 2 ? INTS : LONGS);
        long index = at >> size;
        return at >= 0 && index << size == at && index <= Integer.MAX_VALUE ? (int) index : -1;
    }

    private static int index(long offset) {
        long at = offset - OBJECTS;
        long index = at >> AssayAccess.references;
        return at >= 0 && index << AssayAccess.references == at && index <= Integer.MAX_VALUE ? (int) index : -1;
    }

    static boolean loaded(Object array, Object value, long offset, AssayNode node, int access) {
        return array instanceof Object[] && AssayReferenceArray.loaded((Object[]) array, index(offset), value, node, access);
    }

    static boolean stored(Object array, Object old, Object value, long offset, AssayNode node, int access) {
        return array instanceof Object[]
            && AssayReferenceArray.stored((Object[]) array, index(offset), value, old, node, access);
    }

    static boolean loaded(Object array, long value, long offset, int kind, AssayNode node, int access) {
        int size = kind & 3;
        int index = index(offset, size);
        switch (size) {
        case 0:
            return array instanceof byte[] ? AssayByteArray.loaded((byte[]) array, index, (byte) value, node, access)
                : array instanceof boolean[]
                    && AssayBooleanArray.loaded((boolean[]) array, index, (value & 1) != 0, node, access);
        case 1:
            return array instanceof char[] ? AssayCharArray.loaded((char[]) array, index, (char) value, node, access)
                : array instanceof short[] && AssayShortArray.loaded((short[]) array, index, (short) value, node, access);
        case 2:
            return array instanceof int[] ? AssayIntArray.loaded((int[]) array, index, (int) value, node, access)
                : array instanceof float[]
                    && AssayFloatArray.loaded((float[]) array, index, Float.intBitsToFloat((int) value), node, access);
        default:
            return array instanceof long[] ? AssayLongArray.loaded((long[]) array, index, value, node, access)
                : array instanceof double[]
                    && AssayDoubleArray.loaded((double[]) array, index, Double.longBitsToDouble(value), node, access);
        }
    }

    static boolean stored(Object array, long old, long value, long offset, int kind, AssayNode node, int access) {
        int size = kind & 3;
        int index = index(offset, size);
        switch (size) {
        case 0:
            return array instanceof byte[]
                ? AssayByteArray.stored((byte[]) array, index, (byte) value, (byte) old, node, access)
                : array instanceof boolean[]
                    && AssayBooleanArray.stored((boolean[]) array, index, (value & 1) != 0, (old & 1) != 0, node, access);
        case 1:
            return array instanceof char[]
                ? AssayCharArray.stored((char[]) array, index, (char) value, (char) old, node, access)
                : array instanceof short[]
                    && AssayShortArray.stored((short[]) array, index, (short) value, (short) old, node, access);
        case 2:
            return array instanceof int[] ? AssayIntArray.stored((int[]) array, index, (int) value, (int) old, node, access)
                : array instanceof float[] && AssayFloatArray.stored((float[]) array, index,
                    Float.intBitsToFloat((int) value), Float.intBitsToFloat((int) old), node, access);
        default:
            return array instanceof long[] ? AssayLongArray.stored((long[]) array, index, value, old, node, access)
                : array instanceof double[] && AssayDoubleArray.stored((double[]) array, index,
                    Double.longBitsToDouble(value), Double.longBitsToDouble(old), node, access);
        }
    }
}
