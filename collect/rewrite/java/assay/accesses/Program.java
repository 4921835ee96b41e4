package assay.accesses;

/** What a class that is rewritten needs to know of others, and numbers. */
interface Program {
    /** Whether a class (which may not be loaded yet) has, or inherits, what Fields adds for one of its fields. */
    boolean hasShadow(String owner, String name, String descriptor);

    /** The number of a reference to a static field, or in mode memory to any field. */
    int reference(String owner, String name, String descriptor);

    /** Whether the JIT compilers replace calls of this method by code of their own; then it has a copy. */
    boolean isIntrinsic(String owner, String name, String descriptor);

    /** Whether methods get a second body without probes, for the time between bursts. */
    boolean hasBursts();

    /** Whether an arraylength instruction is a load of the length. */
    boolean hasLengths();

    /** Whether every access is kept, with its address (mode memory). */
    boolean hasMemory();

    /** The number of a method that is about to be rewritten. */
    int reserve();

    /** Describes the method with a number. */
    void define(int number, Description description);

    /** A method can't have probes. */
    void skipped(String method, String why);
}
