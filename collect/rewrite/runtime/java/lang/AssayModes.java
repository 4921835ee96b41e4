package java.lang;

/** What is recorded. The agent writes its own numbers in place of these before it defines the class. */
final class AssayModes {
    private AssayModes() {
    }

    /** Bit 0: silent loads; 1: silent stores; 2: dead stores; 3: adjacent loads. A method, since javac copies constants to their users. */
    static int kinds() {
        return 0x5a5a0001;
    }

    /** 1: in bursts. */
    static int bursts() {
        return 0x5a5a0003;
    }

    /** 1: pairs may consist of accesses of two threads. */
    static int betweenThreads() {
        return 0x5a5a0004;
    }

    /** 1: mode memory; 2: with values. */
    static int memory() {
        return 0x5a5a0005;
    }

    /** How much floating-point values may differ and still be equal, in billionths of the earlier one. */
    static int tolerance() {
        return 0x5a5a0002;
    }
}
