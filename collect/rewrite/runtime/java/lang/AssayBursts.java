package java.lang;

/**
 * Bursts: for a while the accesses of all threads are recorded, then for a longer while those of none. A method has two
 * bodies, with probes and without, and the switch between them is `on`. The first half of a burst finds out which access
 * each place had last, the second half counts. What a place knows from an earlier burst is worth nothing: its handles are
 * less than those of this one.
 */
public final class AssayBursts {
    static final boolean USED = AssayModes.bursts() != 0;
    static final int HANDLE = (1 << 29) - 1; // of a place's last access …
    static final int HALF = 1 << 29; // … which was in the second half of the burst …
    static final int LATE = 1 << 30; // … since when the place has been loaded, and in the second half
    static final int ELSEWHERE = -2; // in place of a call: the method runs without probes, so ask the stack
    private static final int NEVER = Integer.MAX_VALUE, HANDLES_LEFT = 1 << 24, BLOCK_BITS = 8;
    private static final int FRAMES = 1 << 7, FRAMES_MOST = 1 << 12, FRAME = 3; // method, call, accesses

    public static volatile boolean on;
    public static boolean onNow; // the same, but the JIT compilers may read it once for a whole loop
    static int number; // of the burst; 0 between bursts
    static int half; // HALF, or 0 in the first one
    private static int first = NEVER; // what places that are new in this burst have; all accesses of the burst have more
    private static int count;
    private static boolean closed;
    private static int firstBlock;
    private static int[] owners; // the threads of blocks of handles

    private AssayBursts() {
    }

    /** How many handles there are for this burst and all later ones; 0: too few, or the program has ended. */
    static synchronized int begin() {
        int handles = AssayOutput.handles(0, 2), left = HANDLE - HANDLES_LEFT - handles;
        if (left <= 0 || closed) {
            return 0;
        }
        firstBlock = handles >>> BLOCK_BITS;
        owners = new int[1 << 12];
        half = 0;
        first = handles + 1; // and what places have that were loaded, but not stored into, in this burst: one less
        number = ++count;
        if (AssayAccess.MEMORY) {
            AssayWords.reportGap();
        }
        onNow = true;
        on = true;
        return left;
    }

    static void middle() {
        half = HALF;
    }

    static synchronized void end() {
        onNow = false;
        on = false;
        number = 0;
        first = NEVER;
    }

    /** Writes what the burst has counted, a while after its end. */
    static synchronized void drain() {
        if (number == 0) {
            AssayThread.drainBurst();
            AssayShadow.forget();
        }
    }

    /** The first burst, from the program's beginning, is kept until another one is complete. */
    static void setAside() {
        AssayThread.setAside();
    }

    static void dropAside() {
        AssayThread.dropAside();
    }

    /** The end of the program. */
    static synchronized void finish() {
        closed = true;
        end();
        AssayThread.drainAside();
        drain();
    }

    /** How many accesses all threads have had in this burst. */
    static long seen() {
        return AssayThread.seen();
    }

    /** Whether the last access of a place was in this burst, or the place is new. */
    static boolean isKnown(long last) {
        return (last & HANDLE) >= first;
    }

    static boolean isNew(long last) {
        return (last & HANDLE) == first;
    }

    static boolean isLoadedOnly(long last) {
        return (last & (HANDLE | AssayAccess.LOADED)) == (first - 1 | AssayAccess.LOADED);
    }

    /** What a place that is new has, unless it has been accessed. */
    public static long fresh(long last) {
        return first == NEVER || isKnown(last) ? last : first | half;
    }

    /** What a place's last store becomes when the place is loaded. */
    static long loaded(long store) {
        long late = half << 1; // LATE, or 0
        return isKnown(store) ? store | AssayAccess.LOADED | late
            : first == NEVER ? store : first - 1 | AssayAccess.LOADED | late;
    }

    /** The thread's handles. */
    static synchronized void own(int handle, int handles, int thread) {
        int from = (handle >>> BLOCK_BITS) - firstBlock, to = (handle + handles - 1 >>> BLOCK_BITS) - firstBlock;
        if (to >= owners.length) {
            int[] larger = new int[2 * (to + 1)];
            for (int i = 0; i < owners.length; i++) {
                larger[i] = owners[i];
            }
            owners = larger;
        }
        for (int i = from < 0 ? 0 : from; i <= to; i++) {
            owners[i] = thread;
        }
    }

    static boolean isOf(int handle, int thread) {
        int block = (handle >>> BLOCK_BITS) - firstBlock;
        int[] all = owners;
        return block >= 0 && block < all.length && all[block] == thread;
    }

    /** Code without probes has caught an exception: where the thread is, the stack knows. */
    public static void caught() {
        AssayThread thread = number == 0 ? null : AssayThread.current();
        if (thread != null) {
            thread.site = ELSEWHERE;
        }
    }

    /** Finds out which methods call the one that asks, and says so in the thread; the call of the innermost one. */
    static int locate(AssayThread thread) {
        int[] frames = new int[FRAME * FRAMES];
        int found = AssayOutput.stack(frames);
        if (found < 0) {
            frames = new int[FRAME * FRAMES_MOST];
            found = AssayOutput.stack(frames);
        }
        AssayNode at = found >= 0 ? thread.root : thread.cut;
        found = found >= 0 ? found : ~found;
        int site = 0;
        for (int i = found - 1; i > 0; i--) { // the first is the one that asks
            at = at.child(site, frames[FRAME * i], frames[FRAME * i + 2]);
            site = frames[FRAME * i + 1];
        }
        thread.at = at;
        return site;
    }
}
