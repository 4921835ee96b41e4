import java.math.BigDecimal;

/** Values of the types of the JVM, by descriptors: ints stand for all that the JVM calculates with as ints. */
final class Values {
    static final String OBJECT = "Ljava/lang/Object;";

    private Values() {
    }

    static boolean isReference(String descriptor) {
        return descriptor.length() > 1;
    }

    /** The type in a local variable or on the stack. */
    static String stack(String descriptor) {
        return "ZBCS".contains(descriptor) ? "I" : descriptor;
    }

    static Object zero(String descriptor) {
        switch (descriptor.charAt(0)) {
        case 'J': return 0L;
        case 'F': return 0f;
        case 'D': return 0.0;
        case 'L': case '[': return null;
        default: return 0;
        }
    }

    /** What is left of a value where it is stored (JVM specification, putfield and bastore). */
    static Object narrow(String descriptor, Object value) {
        switch (descriptor.charAt(0)) {
        case 'Z': return (Integer) value & 1;
        case 'B': return (int) (byte) (int) (Integer) value;
        case 'C': return (int) (char) (int) (Integer) value;
        case 'S': return (int) (short) (int) (Integer) value;
        default: return value;
        }
    }

    /** Equal, or floating-point values of which the new one is within 1 % of the old one. */
    static boolean isSame(Object now, Object before) {
        if (now instanceof Float) {
            float a = (Float) now, b = (Float) before;
            return Float.floatToRawIntBits(a) == Float.floatToRawIntBits(b) || isNear(a, b);
        }
        if (now instanceof Double) {
            double a = (Double) now, b = (Double) before;
            return Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(b) || isNear(a, b);
        }
        return now instanceof Integer || now instanceof Long ? now.equals(before) : now == before;
    }

    private static boolean isFinite(double value) {
        return !Double.isNaN(value) && !Double.isInfinite(value);
    }

    /** Without rounding. */
    private static boolean isNear(double now, double before) {
        if (!isFinite(now) || !isFinite(before)) {
            return false;
        }
        BigDecimal old = new BigDecimal(before);
        return new BigDecimal(now).subtract(old).abs().scaleByPowerOfTen(2).compareTo(old.abs()) <= 0;
    }
}
