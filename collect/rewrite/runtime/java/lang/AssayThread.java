package java.lang;

import jdk.internal.misc.Unsafe;

/** What one thread has counted. */
public final class AssayThread {
    private static final int NODES_MOST = 1 << 23, CACHED = 1 << 7, BLOCK = 1 << 8;
    private static final int PAUSE = 30; // between two drainings, in times of what one takes
    private static final int HEAP_PER_NODE = 1000; // bytes; a node and its share of tables take about a tenth

    /** What is summed up of a burst, for silent loads, silent stores and dead stores: bytes in its second half. */
    private static final int BYTES = 0, WASTED = 1, UNSEEN = 2, CROSSING = 3, CROSSING_WASTED = 4, SUMS = 5;

    private static final boolean BETWEEN = AssayModes.betweenThreads() != 0;

    private static AssayThread last; // of the list of all
    private static AssayThread aside; // of the first burst
    private static int nodesOfAll;
    private static int nodesMost;
    private static volatile int wanted; // how often all were asked to hand over what they have counted

    public AssayNode at; // the method that runs, or called what runs …
    public int site; // … with this call
    AssayNode root;
    AssayNode cut;
    int number;
    int burst; // 0: of a recording without bursts
    int seen; // accesses in the burst
    public int time = 1; // how often it has passed the header of a loop, modulo 2^32, and once
    private final long[] sums = AssayBursts.USED ? new long[3 * SUMS] : null; // of a burst, by kind of waste
    private int nodes;
    long reused; // calls that got the node of an earlier one …
    long lumped; // … and those that got one below `cut`
    long lostScopes; // pairs whose loop is not known
    long elsewhere; // bytes accessed through Unsafe, neither of a field nor of an element
    private AssayNode[] byHandle = new AssayNode[2]; // in the order of their handles, which is that of their making
    private int count;
    final AssayWords words; // mode memory
    final AssayPairs pairs = new AssayPairs();
    final long[] alone = new long[16]; // accesses without an earlier one
    AssayNode newest;
    AssayNode newestAllocation; // of those that the output does not know of yet
    private final AssayShadow[] cache = new AssayShadow[CACHED];
    private Thread owner;
    private AssayThread before;
    private boolean done; // it has ended, and all that it counted is in the output
    private int drainedFor;
    private long drained; // when it was last
    private long drainedIn;
    private int nextHandle;
    private int handlesEnd;

    /** Makes the thread that stands for all that are not recorded. */
    AssayThread() {
        words = null;
    }

    static void begin() {
        long fit = Runtime.getRuntime().maxMemory() / HEAP_PER_NODE;
        nodesMost = fit < NODES_MOST ? (int) fit : NODES_MOST;
    }

    /** The calling thread's; null: nothing of it is recorded. */
    static AssayThread current() {
        Thread self = Thread.currentThread();
        AssayThread thread = (AssayThread) AssayShadow.UNSAFE.getReference(self, AssayShadow.THREAD);
        return thread == null || AssayBursts.USED && thread.burst != AssayBursts.number ? make(self, thread) : thread;
    }

    /** Makes a thread's first one, or that for a new burst. */
    private static AssayThread make(Thread self, AssayThread earlier) {
        Unsafe unsafe = AssayShadow.UNSAFE;
        int burst = AssayBursts.number;
        if (unsafe.getReference(self, AssayShadow.ASIDE) != null || AssayBursts.USED && burst == 0) {
            return null;
        }
        unsafe.putReference(self, AssayShadow.ASIDE, AssayNode.MUTE.thread);
        try {
            AssayThread made = new AssayThread(self, earlier == null ? AssayOutput.thread() : earlier.number, burst);
            synchronized (AssayThread.class) {
                made.before = last;
                last = made;
            }
            unsafe.putReference(self, AssayShadow.THREAD, made);
            return made;
        } finally {
            unsafe.putReference(self, AssayShadow.ASIDE, null);
        }
    }

    private AssayThread(Thread owner, int number, int burst) {
        this.owner = owner;
        this.number = number;
        this.burst = burst;
        words = AssayAccess.MEMORY ? new AssayWords() : null;
        drainedFor = wanted;
        site = AssayBursts.USED ? AssayBursts.ELSEWHERE : 0;
        at = root = make(null, 0, 0, 1);
        cut = make(root, 0, 0, 1);
    }

    AssayNode make(AssayNode parent, int site, int method, int accesses) {
        AssayNode made = new AssayNode(this, parent, site, method, handles(accesses > 0 ? accesses : 1), accesses);
        newest = made;
        if (count == byHandle.length) {
            AssayNode[] larger = new AssayNode[count + count / 2 + 1];
            for (int i = 0; i < count; i++) {
                larger[i] = byHandle[i];
            }
            byHandle = larger;
        }
        byHandle[count++] = made;
        return made;
    }

    /** The thread's node that has a handle; null: it is another thread's. */
    AssayNode nodeOf(int handle) {
        int low = 0, high = count;
        while (high - low > 1) {
            int middle = low + high >>> 1;
            if (byHandle[middle].base <= handle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return byHandle[low].has(handle) ? byHandle[low] : null;
    }

    /** From now on nothing of the calling thread is recorded. */
    static void mute() {
        Unsafe unsafe = AssayShadow.UNSAFE;
        Thread self = Thread.currentThread();
        Object own = unsafe.getReference(self, AssayShadow.THREAD);
        unsafe.putReference(self, AssayShadow.ASIDE, own == null ? AssayNode.MUTE.thread : own);
        unsafe.putReference(self, AssayShadow.THREAD, null);
    }

    static void unmute() {
        Unsafe unsafe = AssayShadow.UNSAFE;
        Thread self = Thread.currentThread();
        Object own = unsafe.getReference(self, AssayShadow.ASIDE);
        unsafe.putReference(self, AssayShadow.THREAD, own == AssayNode.MUTE.thread ? null : own);
        unsafe.putReference(self, AssayShadow.ASIDE, null);
    }

    boolean canAddNode() {
        return nodesOfAll < nodesMost;
    }

    /** The first of `count` handles. */
    int handles(int count) {
        nodesOfAll++; // threads may lose a few of each other's
        nodes++;
        if (nextHandle + count > handlesEnd) {
            int block = count > BLOCK ? count : BLOCK;
            nextHandle = AssayOutput.handles(number, block);
            handlesEnd = nextHandle + block;
            if (AssayBursts.USED) {
                AssayBursts.own(nextHandle, block, number);
            }
        }
        int first = nextHandle;
        nextHandle += count;
        return first;
    }

    AssayShadow shadow(Object array, int length, int handle) {
        AssayShadow found = cache[handle & CACHED - 1];
        if (found != null && found.refersTo(array)) {
            return found;
        }
        found = AssayShadow.of(array, length);
        cache[handle & CACHED - 1] = found;
        return found;
    }

    /** Asks all threads to hand over what they have counted, and waits for a while; does so itself for those that have ended. */
    static void drainAll(long waitMillis) throws InterruptedException {
        AssayThread all;
        synchronized (AssayThread.class) {
            all = last;
        }
        wanted++;
        AssayAccess.interrupt(true);
        boolean late = lag(all);
        for (long i = 0; i < waitMillis && late; i++) {
            Thread.sleep(1);
            late = lag(all);
        }
        AssayAccess.interrupt(late); // whoever is in a long loop answers after it
        for (AssayThread each = all; each != null; each = each.before) {
            if (!each.owner.isAlive() && each.drain()) {
                each.done = true;
                nodesOfAll -= each.nodes;
                AssayOutput.ended(each.number);
            }
        }
        AssayOutput.flush();
        forget();
    }

    /** At the end, for all: those that still run are no longer asked. */
    static void drainLast() {
        wanted++;
        for (AssayThread each = last; each != null; each = each.before) {
            each.define();
        }
        for (AssayThread each = last; each != null; each = each.before) {
            each.drain();
        }
    }

    /** How many accesses all threads have had in this burst. */
    static long seen() {
        AssayThread all;
        synchronized (AssayThread.class) {
            all = last;
        }
        long sum = 0;
        for (AssayThread each = all; each != null; each = each.before) {
            sum += each.seen;
        }
        return sum;
    }

    /** All of the burst that has ended, whose threads do not count any more. */
    static synchronized void drainBurst() {
        drainBurst(last);
        last = null;
    }

    private static void drainBurst(AssayThread all) {
        for (AssayThread each = all; each != null; each = each.before) {
            each.define();
        }
        for (AssayThread each = all; each != null; each = each.before) {
            each.drain();
            AssayOutput.burst(each.sums);
        }
        for (AssayThread each = all; each != null; each = each.before) {
            AssayOutput.ended(each.number);
        }
        nodesOfAll = 0; // but for what threads have lost of each other's
    }

    /** Keeps what the first burst has counted, in case that it remains the only one. */
    static synchronized void setAside() {
        aside = last;
        last = null;
    }

    static synchronized void drainAside() {
        drainBurst(aside);
        aside = null;
    }

    static synchronized void dropAside() {
        aside = null;
    }

    /** Whether an access of this burst can be the first one of a pair whose second one is this thread's. */
    boolean canFollow(int handle) {
        return BETWEEN || AssayBursts.isOf(handle, number);
    }

    /** Sums up an access in the second half of a burst. `known`: it makes a pair with its earlier one, in this burst. */
    void addToBurst(long last, boolean known, boolean same, int kind) {
        int bytes = 1 << (kind & 3);
        boolean unknown = !AssayBursts.isKnown(last);
        boolean crossing = !unknown && (last & AssayBursts.HALF) == 0; // unseen if the burst had begun in its middle
        if ((kind & 8) == 0) {
            add(0, bytes, true, known && same, unknown, crossing);
        } else {
            boolean loaded = (last & AssayAccess.LOADED) != 0, late = (last & AssayBursts.LATE) != 0;
            add(SUMS, bytes, same, known && same, unknown, crossing);
            add(2 * SUMS, bytes, true, known && !loaded, unknown && !AssayBursts.isLoadedOnly(last), crossing && !late);
        }
    }

    private void add(int at, int bytes, boolean may, boolean wasted, boolean unknown, boolean crossing) {
        long[] all = sums;
        all[at + BYTES] += bytes;
        if (!may) {
            return;
        }
        if (wasted) {
            all[at + WASTED] += bytes;
        }
        if (unknown) {
            all[at + UNSEEN] += bytes;
        }
        if (crossing) {
            all[at + CROSSING] += bytes;
            all[at + CROSSING_WASTED] += wasted ? bytes : 0;
        }
    }

    /** Whether a thread that runs has not handed over its counts. */
    private static boolean lag(AssayThread all) {
        for (AssayThread each = all; each != null; each = each.before) {
            if (each.drainedFor != wanted && each.owner.getState() == Thread.State.RUNNABLE) {
                return true;
            }
        }
        return false;
    }

    private static synchronized void forget() {
        while (last != null && last.done) {
            last = last.before;
        }
        for (AssayThread each = last; each != null; each = each.before) {
            while (each.before != null && each.before.done) {
                each.before = each.before.before;
            }
        }
    }

    /** Hands over its counts if it is asked to, and the last time did not take too much. Only the thread itself. */
    void drainIfWanted() {
        if (drainedFor == wanted) {
            return;
        }
        drainedFor = wanted;
        long begun = System.nanoTime();
        if (begun - drained >= PAUSE * drainedIn) {
            drain();
            drained = System.nanoTime();
            drainedIn = drained - begun;
        }
    }

    /** False: some counts have to wait for another thread's nodes. */
    private boolean drain() {
        if (AssayAccess.MEMORY) {
            words.handOver(Thread.currentThread() == owner);
        }
        define();
        boolean all = pairs.drain(number);
        for (AssayNode each = newest; each != null; each = each.before) {
            all &= each.drain();
        }
        AssayOutput.alone(number, alone);
        for (int i = 0; i < alone.length; i++) {
            alone[i] = 0;
        }
        AssayOutput.lost(reused, lumped, lostScopes);
        reused = lumped = lostScopes = 0;
        AssayOutput.elsewhere(elsewhere);
        elsewhere = 0;
        return all;
    }

    /** Nodes that are new, in the order in which they were made: parents first. */
    private void define() {
        if (AssayAccess.MEMORY) {
            return; // nodes are defined as they are used
        }
        int count = 0;
        AssayNode end = newest;
        for (AssayNode each = end; each != null && each.number == 0; each = each.before) {
            count++;
        }
        AssayNode[] fresh = new AssayNode[count];
        for (AssayNode each = end; count > 0; each = each.before) {
            fresh[--count] = each;
        }
        for (int i = 0; i < fresh.length; i++) {
            AssayNode node = fresh[i];
            AssayNode above = node.parent;
            node.number = AssayOutput.node(number, above == null ? 0 : above.number, above == null ? 0 : above.method,
                node.site, node.method, node.base, node == cut);
        }
        AssayNode allocation = newestAllocation;
        newestAllocation = null;
        for (; allocation != null; allocation = allocation.allocationBefore) {
            AssayOutput.object(allocation.base, allocation.number, allocation.method);
        }
    }
}
