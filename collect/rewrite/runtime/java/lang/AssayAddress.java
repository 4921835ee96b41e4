package java.lang;

/** From references, as the JVM keeps them in memory, to addresses. Used once the agent's functions are there. */
final class AssayAddress {
    private static final long BASE = AssayOutput.address(0); // of compressed references …
    private static final int SHIFT = (int) AssayOutput.address(1);
    private static final long MASK = AssayOutput.address(2); // the bits of an address; 0: all
    private static final long VIEW = AssayOutput.address(3);
    private static final boolean COLORED = AssayOutput.address(4) != 0;

    static final long BYTES = AssayOutput.constant("ARRAY_BYTE_BASE_OFFSET");
    static final long SHORTS = AssayOutput.constant("ARRAY_SHORT_BASE_OFFSET");
    static final long INTS = AssayOutput.constant("ARRAY_INT_BASE_OFFSET");
    static final long LONGS = AssayOutput.constant("ARRAY_LONG_BASE_OFFSET");
    static final long REFERENCES = AssayOutput.constant("ARRAY_OBJECT_BASE_OFFSET");

    private AssayAddress() {
    }

    static void begin() { // what the JVM shows is there now
    }

    static long ofCompressed(int reference) {
        return reference == 0 ? 0 : BASE + ((reference & 0xffffffffL) << SHIFT);
    }

    /** ZGC's references have bits of its own: above the address, or (COLORED) below it, 13 to 16 as one of bits 12 to 15 says. */
    static long of(long reference) {
        if (COLORED) {
            int which = (int) (reference >>> 12) & 15;
            return reference >>> 13 + (which >> 1) - (which >> 3);
        }
        return MASK == 0 || reference == 0 ? reference : reference & MASK | VIEW;
    }
}
