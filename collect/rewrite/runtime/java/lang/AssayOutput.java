package java.lang;

/** The agent's functions. */
final class AssayOutput {
    static {
        register();
    }

    private AssayOutput() {
    }

    /** Shows to the JVM where the other functions are. */
    private static native void register();

    /** How the JVM keeps references (collect/rewrite/addresses.h). */
    static native long address(int fact);

    /** The kind of references: the binary logarithm of their size. */
    static native void references(int kind);

    /** A new thread, which is the calling one: its number. */
    static native int thread();

    /** The next `count` handles belong to a thread; the first of them. */
    static native int handles(int thread, int count);

    /** A node, after its parent (0: none): its number. */
    static native int node(int thread, int parent, int parentMethod, int site, int method, int base, boolean cut);

    /** The same in mode memory: the mark of the node's first access; its low half is the node's number. 0: none. */
    static native long mark(int thread, int parent, int parentMethod, int site, int method, boolean cut);

    /** Appends words to the ring. */
    static native void words(long[] words, int from, int count);

    /** Where the field that a reference in a class means is in its object, or class; 0: there is none. */
    static native long offset(int reference);

    /** The class that declares the static field that a reference means; null: there is none. */
    static native Class<?> owner(int reference);

    /** The objects that a node's method allocates, or constructs. */
    static native void object(int handle, int node, int method);

    /**
     * How often the second access followed the first; was silent; made it dead, or was adjacent; in an object of this handle (0: unknown;
     * -n: the static field with number n), and in which loop (AssayLoops). False: an access, or the object, is not known yet.
     */
    static native boolean pair(int thread, int first, int second, int object, int scope, long events, long silent,
        long deadOrAdjacent);

    /**
     * The loops of a method: how many loops, accesses and calls it has; of each loop the one around it; of each access and
     * of each call the innermost loop around it (from 1; 0: none), in bits 0-15; bit 16 says of a call that it is a
     * constructor's, of another one for the same object. null: the method is not known.
     */
    static native int[] loops(int method);

    /** Accesses without an earlier one: bit 3 of the index says stores, 2 floating-point, 0-1 the binary logarithm of the size. */
    static native void alone(int thread, long[] counts);

    /** A thread has ended, and has handed over all. */
    static native void ended(int thread);

    /** All that was handed over is in the file. */
    static native void flush();

    /** Calls that reused the node of an earlier one; calls that were lumped together; pairs whose loop is not known. */
    static native void lost(long reused, long lumped, long scopes);

    /** What a thread has counted in a burst: five sums (AssayThread.BYTES …) for each kind of waste. */
    static native void burst(long[] sums);

    /**
     * The rewritten methods that run, the innermost first: the number of each, of its call that runs (-1: unknown), and of
     * its accesses. The result is how many there are; if they do not fit, or are too many, ~ of how many there are here.
     */
    static native int stack(int[] frames);

    /** The number of the static field that a reference in a class means; 0: there is none. */
    static native int field(int reference);

    /** Bytes accessed through Unsafe that belong neither to a field nor to an element. */
    static native void elsewhere(long bytes);

    /** A constant of Unsafe. */
    static native long constant(String name);

    /**
     * The fields that a class declares itself, in groups of six: the type (a character, as in descriptors) and the
     * offset; then of an instance field the offsets of its last load, of the value that it returned, of its last
     * store, and of what made the object, and of a static field its number, 0, 0, 0, with a negative type. null: that is
     * not known now.
     */
    static native long[] layout(Class<?> owner);
}
