package java.lang;

import jdk.internal.vm.annotation.DontInline;

/**
 * A node of a thread's calling-context tree: a method, called by a certain call of its parent's method. Its accesses
 * have the handles base, base + 1, … A handle is what a place keeps of its last access.
 */
public final class AssayNode {
    /** Handles below this are accesses that are not recorded, and 0 is no access. */
    static final int FIRST_HANDLE = 1 << 16;

    /** For methods whose accesses are not recorded. */
    static final AssayNode MUTE = new AssayNode(new AssayThread(), null, 0, 0, 1, 0);

    private static final int SLOT = 4;
    private static final int SWAPPED_LEAST = 16, SWAPPED_MOST = 1 << 30;

    static {
        MUTE.thread.at = MUTE;
    }

    public final AssayThread thread;
    final AssayNode parent;
    final int site; // the number of the call in the parent's method
    final int method;
    final int base;
    private final int accesses;
    final AssayNode before; // the one that the thread made before
    int number; // in the output; 0: not there yet
    long mark; // mode memory: that of the first access; 0: not there yet
    private AssayNode[] children = new AssayNode[2]; // by hash; at most half of them are in use
    private int count;
    private int[] usual; // of each access: the handle of what it follows most often; how often; silent, dead. null: none yet

    AssayNode(AssayThread thread, AssayNode parent, int site, int method, int base, int accesses) {
        this.thread = thread;
        this.parent = parent;
        this.site = site;
        this.method = method;
        this.base = base;
        this.accesses = accesses;
        before = thread.newest;
    }

    private static int place(int site, int method, int mask) {
        return (site * 31 + method) * 0x9e3779b9 >>> 12 & mask;
    }

    AssayNode child(int site, int method, int accesses) {
        AssayNode[] all = children;
        int mask = all.length - 1;
        AssayNode child;
        for (int i = place(site, method, mask); (child = all[i]) != null; i = i + 1 & mask) {
            if (child.site == site && child.method == method) {
                return child;
            }
        }
        return add(site, method, accesses);
    }

    private AssayNode add(int site, int method, int accesses) {
        if (site == AssayBursts.ELSEWHERE) {
            int found = AssayBursts.locate(thread);
            return thread.at.child(found, method, accesses);
        }
        if (this != thread.cut && !thread.hasRoom()) {
            thread.lumped++;
            return thread.cut.child(0, method, accesses);
        }
        AssayNode child = repeated(site, method);
        if (child != null) {
            thread.reused++;
        } else {
            child = new AssayNode(thread, this, site, method, thread.handles(accesses), accesses);
            thread.newest = child;
        }
        if (2 * (count + 1) > children.length) {
            AssayNode[] old = children;
            AssayNode[] larger = new AssayNode[old.length * 2];
            for (int i = 0; i < old.length; i++) {
                if (old[i] != null) {
                    put(larger, old[i]);
                }
            }
            children = larger;
        }
        put(children, child);
        count++;
        return child;
    }

    private static void put(AssayNode[] all, AssayNode child) {
        int mask = all.length - 1;
        int i = place(child.site, child.method, mask);
        while (all[i] != null) {
            i = i + 1 & mask;
        }
        all[i] = child;
    }

    /** Recursion: the third of the nodes above that the same call has led to; null if there is none. */
    private AssayNode repeated(int site, int method) {
        int times = 0;
        for (AssayNode at = this, above; (above = at.parent) != null; at = above) {
            if (at.site == site && at.method == method && above.method == this.method && ++times == 3) {
                return at;
            }
        }
        return null;
    }

    /** This node's method is about to make a call; or it has returned, or caught an exception. */
    public void call(int site) {
        thread.at = this;
        thread.site = site;
    }

    /** Whether the burst for which this was made has ended. */
    public boolean isOver() {
        return thread.burst != AssayBursts.number && (this != MUTE || AssayBursts.number == 0);
    }

    /** Counts a load of a place whose last load was `first`; the result is the new last one. */
    @DontInline
    public int loaded(int first, int access, boolean same, int kind) {
        if (AssayBursts.USED) {
            return inBurst(first, access, same, kind);
        }
        int handle = base + access;
        if (first >= FIRST_HANDLE && handle >= FIRST_HANDLE) {
            count(first, access, same, false);
        } else {
            alone(handle, kind);
        }
        return handle;
    }

    /** The same for a store; the last store may carry LOADED. */
    @DontInline
    public int stored(int first, int access, boolean same, int kind) {
        if (AssayBursts.USED) {
            return inBurst(first, access, same, kind);
        }
        int handle = base + access;
        int before = first & Integer.MAX_VALUE;
        if (before >= FIRST_HANDLE && handle >= FIRST_HANDLE) {
            count(before, access, same, first >= 0);
        } else {
            alone(handle, kind);
        }
        return handle;
    }

    /** A store before the parent's constructor, where the object can't be passed: the caller keeps its last one. */
    public int storedEarly(int first, int access, boolean same, int kind) {
        return AssayAccess.STORES ? stored(first, access, same, kind) : 0;
    }

    /** In the first half of a burst places get to know their accesses; in the second these are counted. */
    private int inBurst(int last, int access, boolean same, int kind) {
        int handle = base + access;
        if (!AssayBursts.isKnown(handle)) { // between bursts, or the method began in an earlier one
            return AssayBursts.number == 0 ? last : AssayBursts.fresh(0);
        }
        thread.seen++;
        if (AssayBursts.half != 0) {
            int before = last & AssayBursts.HANDLE;
            boolean known = AssayBursts.isKnown(last) && !AssayBursts.isNew(last);
            if (known) {
                count(before, access, same, last >= 0);
            } else {
                thread.alone[kind]++;
            }
            thread.judge(last, known && AssayBursts.isOf(before, thread.number), same, kind);
        }
        return handle | AssayBursts.half;
    }

    /** Counts bytes that are no place of Java; in bursts in the second half. */
    void elsewhere(long bytes) {
        if (!AssayBursts.USED || AssayBursts.half != 0 && AssayBursts.isKnown(base)) {
            thread.elsewhere += bytes;
        }
    }

    private void alone(int handle, int kind) {
        if (handle >= FIRST_HANDLE) {
            thread.alone[kind]++;
        }
    }

    /** Mostly an access follows the same other one: that pair is counted here, close to what runs anyway. */
    private void count(int first, int access, boolean silent, boolean dead) {
        int[] all = usual;
        int at = SLOT * access;
        if (all != null && all[at] == first) {
            if (silent) {
                all[at + 2]++;
            }
            if (dead) {
                all[at + 3]++;
            }
            if (++all[at + 1] < 0) {
                settle(at, access);
            }
        } else {
            countOther(first, access, silent, dead);
        }
    }

    private void countOther(int first, int access, boolean silent, boolean dead) {
        int at = SLOT * access;
        if (usual == null) {
            usual = new int[SLOT * accesses];
        }
        if (usual[at] == 0) {
            usual[at] = first;
            put(at, 1, silent ? 1 : 0, dead ? 1 : 0);
            return;
        }
        AssayPairs pairs = thread.pairs;
        int pair = pairs.find(first, base + access);
        long events = pairs.add(pair, 1, silent ? 1 : 0, dead ? 1 : 0);
        if (events > 2L * usual[at + 1] + SWAPPED_LEAST && events < SWAPPED_MOST) {
            int more = (int) pairs.get(pair + 1), most = (int) pairs.get(pair + 2);
            pairs.clear(pair);
            settle(at, access);
            usual[at] = first;
            put(at, (int) events, more, most);
        }
    }

    private void put(int at, int events, int silent, int dead) {
        usual[at + 1] = events;
        usual[at + 2] = silent;
        usual[at + 3] = dead;
    }

    /** Moves the counts of the usual pair to the others. */
    private void settle(int at, int access) {
        long mask = 0xffffffffL; // the events may just have reached 2^31
        int pair = thread.pairs.find(usual[at], base + access);
        thread.pairs.add(pair, usual[at + 1] & mask, usual[at + 2] & mask, usual[at + 3] & mask);
        put(at, 0, 0, 0);
    }

    /** Hands over the counts of the usual pairs. False: some have to wait for another thread's nodes. */
    boolean drain() {
        int[] all = usual;
        boolean whole = true;
        for (int at = 0, access = 0; all != null && at < all.length; at += SLOT, access++) {
            if (all[at + 1] == 0) {
                continue;
            }
            if (AssayOutput.pair(thread.number, all[at], base + access, all[at + 1], all[at + 2], all[at + 3])) {
                put(at, 0, 0, 0);
            } else {
                whole = false;
            }
        }
        return whole;
    }
}
