package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Mode memory: the latest accesses and iterations of a thread, in the words of the ring (collect/exact/tool/state/raw.h), until there are
 * enough to hand over.
 */
final class AssayWords {
    private static final Unsafe UNSAFE = AssayShadow.UNSAFE;
    private static final long HELD = UNSAFE.objectFieldOffset(AssayWords.class, "held");
    private static final long FILLED = UNSAFE.objectFieldOffset(AssayWords.class, "filled");
    private static final int NODE_SHIFT = 32; // RAW_MARK_BLOCK_SHIFT
    private static final int WORDS = AssayMemory.VALUES ? 3 : 2; // of an access
    private static final int LEAST = 1 << 7, MOST = 1 << 10;
    private static final long NOTHING = 1; // the mark of a node of which nothing is recorded
    private static final long GAP = 6L << 61; // RAW_MARK_GAP: nobody counts instructions

    private Object held; // an object whose address is being read
    private final Object self = this; // the JIT compilers let no field of a known type be read as something else
    private long[] words = new long[LEAST];
    private int filled;
    private int from; // words before this have been handed over

    /** The address at this moment: a collector may move the object. */
    long addressOf(Object o) {
        held = o;
        long address = AssayShadow.NARROW ? AssayAddress.ofCompressed(UNSAFE.getInt(self, HELD))
            : AssayAddress.of(UNSAFE.getLong(self, HELD));
        held = null;
        return address;
    }

    /** All threads have handed over what they have from earlier bursts. */
    static void reportGap() {
        AssayOutput.words(new long[] {GAP}, 0, 1);
    }

    /** Whether nothing is recorded in this node, such as in a method that goes on with its probes after a burst. */
    private static boolean isMute(AssayNode node, long mark) {
        return mark == NOTHING || AssayBursts.USED && node.thread.burst != AssayBursts.number;
    }

    /** A loop of the node's method, whose number is behind those of its accesses: a mark alone. */
    void pass(AssayNode node, int loop) {
        long mark = node.mark == 0 ? define(node) : node.mark;
        if (isMute(node, mark)) {
            return;
        }
        if (filled == words.length) {
            handOver(true);
        }
        words[filled] = mark + ((long) loop << NODE_SHIFT);
        UNSAFE.putIntRelease(this, FILLED, filled + 1);
    }

    void put(Object o, long offset, long value, AssayNode node, int access) {
        long mark = node.mark == 0 ? define(node) : node.mark;
        if (isMute(node, mark)) {
            return;
        }
        if (filled + WORDS > words.length) {
            handOver(true);
        }
        node.thread.seen++;
        long[] all = words;
        int at = filled;
        all[at] = mark + ((long) access << NODE_SHIFT);
        all[at + 1] = o == null ? offset : addressOf(o) + offset;
        if (AssayMemory.VALUES) {
            all[at + 2] = value;
        }
        UNSAFE.putIntRelease(this, FILLED, at + WORDS); // at the end another thread may look
    }

    /** Parents first. The mark of the node's first access, or NOTHING. */
    private static long define(AssayNode node) {
        while (node.mark == 0) {
            AssayNode next = node;
            while (next.parent != null && next.parent.mark == 0) {
                next = next.parent;
            }
            AssayNode above = next.parent;
            long mark = AssayOutput.mark(node.thread.number, above == null ? 0 : above.number,
                above == null ? 0 : above.method, next.site, next.method, next == node.thread.cut);
            next.number = (int) mark;
            next.mark = mark == 0 || above != null && above.mark == NOTHING ? NOTHING : mark;
        }
        return node.mark;
    }

    /** Words that were not handed over yet. `own`: it is the thread itself that does so. */
    synchronized void handOver(boolean own) {
        int end = filled;
        AssayOutput.words(words, from, end - from);
        from = end;
        if (own) {
            from = filled = 0;
            if (end + WORDS > words.length && words.length < MOST) {
                words = new long[2 * words.length];
            }
        }
    }
}
