package java.lang;

import jdk.internal.vm.annotation.DontInline;

/**
 * A node of a thread's calling-context tree: a method, called by a certain call of its parent's method. Its accesses
 * have the handles base, base + 1, … A handle is what a place keeps of its last access.
 */
public final class AssayNode {
    /** Handles below this are accesses that are not recorded, and 0 is not an access. */
    static final int FIRST_HANDLE = 1 << 16;

    private static final int[] NOT_PASSED = {}; // before MUTE, which has it

    /** For methods whose accesses are not recorded. */
    static final AssayNode MUTE = new AssayNode(new AssayThread(), null, 0, 0, 1, 0);

    /** What is counted of a usual pair: the handle of its first access; its object; its scope; how often; silent; dead or adjacent. */
    private static final int SLOT = 6, OBJECT = 1, SCOPE = 2, EVENTS = 3, SILENT = 4, OTHER = 5;
    private static final int SWAPPED_LEAST = 16, SWAPPED_MOST = 1 << 30;
    private static final int SIGN = 1 << 31;
    private static final long TIME = -1L << 32; // of what a place keeps

    static {
        MUTE.thread.at = MUTE;
        MUTE.passes = new int[AssayLoops.MOST];
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
    private int[] usual; // of each access: the pair that it is most often in. null: none yet
    private final int depth;
    private final AssayNode looped; // the nearest one from this one outward that was called from within a loop; null: none
    public int[] passes; // when the header of each loop was last passed (AssayThread.time)
    private int made; // what objects have that this constructor, or allocation of arrays, makes; 0: not known yet
    AssayNode allocationBefore; // another one that makes objects

    AssayNode(AssayThread thread, AssayNode parent, int site, int method, int base, int accesses) {
        this.thread = thread;
        this.parent = parent;
        this.site = site;
        this.method = method;
        this.base = base;
        this.accesses = accesses;
        before = thread.newest;
        depth = parent == null ? 0 : parent.depth + 1;
        looped = parent == null ? null : loopOfCall() != 0 ? this : parent.looped;
        passes = passesOf(method);
    }

    /** If a method's loops are not known, for lack of memory, there is room for any. */
    private static int[] passesOf(int method) {
        int loops = method == 0 ? 0 : AssayLoops.of(method).count();
        return loops == 0 ? NOT_PASSED : loops == AssayLoops.MOST ? MUTE.passes : new int[loops];
    }

    boolean has(int handle) {
        return handle >= base && handle < base + (accesses > 0 ? accesses : 1);
    }

    private static int slot(int site, int method, int mask) {
        return (site * 31 + method) * 0x9e3779b9 >>> 12 & mask;
    }

    AssayNode child(int site, int method, int accesses) {
        AssayNode[] all = children;
        int mask = all.length - 1;
        AssayNode child;
        for (int i = slot(site, method, mask); (child = all[i]) != null; i = i + 1 & mask) {
            if (child.site == site && child.method == method) {
                return child;
            }
        }
        return add(site, method, accesses);
    }

    @DontInline
    private AssayNode add(int site, int method, int accesses) {
        if (site == AssayBursts.ELSEWHERE) {
            int found = AssayBursts.locate(thread);
            return thread.at.child(found, method, accesses);
        }
        if (this != thread.cut && !thread.canAddNode()) {
            thread.lumped++;
            return thread.cut.child(0, method, accesses);
        }
        AssayNode child = repeated(site, method);
        if (child != null) {
            thread.reused++;
        } else {
            child = thread.make(this, site, method, accesses);
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
        int i = slot(child.site, child.method, mask);
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
    public long loaded(long first, int access, boolean same, int kind, int object) {
        if (AssayBursts.USED) {
            return inBurst(first, access, same, kind, object);
        }
        int handle = base + access;
        if ((int) first >= FIRST_HANDLE && handle >= FIRST_HANDLE) {
            count(first, access, same, false, object);
        } else {
            alone(handle, kind);
        }
        return now(handle);
    }

    /** The same for an element, in runs without bursts: `adjacent` if it is not silent, but repeats a neighbor's last load. */
    long loadedElement(long first, int access, boolean same, boolean adjacent, int kind, int object) {
        int handle = base + access;
        if ((int) first >= FIRST_HANDLE && handle >= FIRST_HANDLE) {
            count(first, access, same, adjacent, object);
        } else {
            alone(handle, kind);
        }
        return now(handle);
    }

    private long now(int handle) {
        return (long) thread.time << 32 | handle;
    }

    /** The same for a store; the last store may carry LOADED. */
    @DontInline
    public long stored(long first, int access, boolean same, int kind, int object) {
        if (AssayBursts.USED) {
            return inBurst(first, access, same, kind, object);
        }
        int handle = base + access;
        if (((int) first & Integer.MAX_VALUE) >= FIRST_HANDLE && handle >= FIRST_HANDLE) {
            count(first & ~AssayAccess.LOADED, access, same, (first & AssayAccess.LOADED) == 0, object);
        } else {
            alone(handle, kind);
        }
        return now(handle);
    }

    /** A store before the parent's constructor, where the object can't be passed: the caller keeps its last one. */
    public long storedEarly(long first, int access, boolean same, int kind) {
        return AssayAccess.STORES ? stored(first, access, same, kind, made()) : 0;
    }

    /** In the first half of a burst places get to know their accesses; in the second these are counted. */
    private long inBurst(long last, int access, boolean same, int kind, int object) {
        int handle = base + access;
        if (!AssayBursts.isKnown(handle)) { // between bursts, or the method began in an earlier one
            return AssayBursts.number == 0 ? last : AssayBursts.fresh(0);
        }
        thread.seen++;
        if (AssayBursts.half != 0) {
            int before = (int) last & AssayBursts.HANDLE;
            boolean known = AssayBursts.isKnown(last) && !AssayBursts.isNew(last);
            if (known) {
                count(last & TIME | before, access, same, (last & AssayAccess.LOADED) == 0,
                    object < 0 || AssayBursts.isKnown(object) ? object : 0);
            } else {
                thread.alone[kind]++;
            }
            thread.addToBurst(last, known && thread.canFollow(before), same, kind);
        }
        return now(handle | AssayBursts.half);
    }

    /** Counts bytes outside of fields and elements; in bursts in the second half. */
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
    private void count(long first, int access, boolean silent, boolean other, int object) {
        int[] all = usual;
        int at = SLOT * access;
        if (all != null && all[at] == (int) first && all[at + OBJECT] == object) {
            all[at + SILENT] += silent ? 1 : 0;
            all[at + OTHER] += other ? 1 : 0;
            if (++all[at + EVENTS] < 0) {
                moveToPairs(at, access);
            }
        } else {
            countOther((int) first, (int) (first >>> 32), access, silent, other, object);
        }
    }

    @DontInline
    private void countOther(int first, int time, int access, boolean silent, boolean other, int object) {
        int at = SLOT * access;
        if (usual == null) {
            usual = new int[SLOT * accesses];
        }
        if (usual[at] == 0) {
            usual[at] = first;
            usual[at + OBJECT] = object;
            usual[at + SCOPE] = scope(first, time, access);
            put(at, 1, silent ? 1 : 0, other ? 1 : 0);
            return;
        }
        AssayPairs pairs = thread.pairs;
        int pair = pairs.find(first, base + access, object);
        if (pairs.scope(pair) == AssayPairs.UNKNOWN) {
            pairs.setScope(pair, scope(first, time, access));
        }
        long events = pairs.add(pair, 1, silent ? 1 : 0, other ? 1 : 0);
        if (events > 2L * usual[at + EVENTS] + SWAPPED_LEAST && events < SWAPPED_MOST) {
            int scope = pairs.scope(pair), more = (int) pairs.get(pair + 1), most = (int) pairs.get(pair + 2);
            pairs.clear(pair);
            moveToPairs(at, access);
            usual[at] = first;
            usual[at + OBJECT] = object;
            usual[at + SCOPE] = scope;
            put(at, (int) events, more, most);
        }
    }

    private void put(int at, int events, int silent, int other) {
        usual[at + EVENTS] = events;
        usual[at + SILENT] = silent;
        usual[at + OTHER] = other;
    }

    /** Moves the counts of the usual pair to the others. */
    @DontInline
    private void moveToPairs(int at, int access) {
        long mask = 0xffffffffL; // the events may just have reached 2^31
        int pair = thread.pairs.find(usual[at], base + access, usual[at + OBJECT]);
        thread.pairs.setScope(pair, usual[at + SCOPE]);
        thread.pairs.add(pair, usual[at + EVENTS] & mask, usual[at + SILENT] & mask, usual[at + OTHER] & mask);
        put(at, 0, 0, 0);
    }

    /** Hands over the counts of the usual pairs. False: some have to wait for another thread's nodes. */
    boolean drain() {
        int[] all = usual;
        boolean whole = true;
        for (int at = 0, access = 0; all != null && at < all.length; at += SLOT, access++) {
            if (all[at + EVENTS] == 0) {
                continue;
            }
            if (AssayOutput.pair(thread.number, all[at], base + access, all[at + OBJECT], all[at + SCOPE], all[at + EVENTS],
                all[at + SILENT], all[at + OTHER])) {
                put(at, 0, 0, 0);
            } else {
                whole = false;
            }
        }
        return whole;
    }

    /* ---------------------------------------------------------------------------------------- objects -- */

    /** What an object that this node's method constructs keeps of its allocation; 0: nothing is recorded. */
    public int made() {
        return made != 0 || this == MUTE ? made : findMade();
    }

    /** A constructor that another one has called for the same object makes what that one makes. */
    @DontInline
    private int findMade() {
        AssayNode outermost = this;
        while (outermost.parent != null && AssayLoops.of(outermost.parent.method).isConstructor(outermost.site)) {
            outermost = outermost.parent;
        }
        if (outermost.made == 0) {
            outermost.made = outermost.base;
            outermost.allocationBefore = thread.newestAllocation;
            thread.newestAllocation = outermost;
        }
        made = outermost.made;
        return made;
    }

    /** Whether an object was allocated by what a call in this method has led to. */
    boolean hasMade(int made, int site) {
        AssayNode at = thread.nodeOf(made);
        while (at != null && at.parent != this) {
            at = at.parent;
        }
        return at != null && at.site == site;
    }

    /** The same of an array that this method allocates: the allocation stands for a method that it calls. */
    int allocation(int site, int method) {
        return child(site, method, 0).made();
    }

    /* ---------------------------------------------------------------------------------------- loops -- */

    /** The innermost loop around the call of this node's method. */
    private int loopOfCall() {
        return AssayLoops.of(parent.method).ofCall(site);
    }

    /** The outermost loop around two places of the method whose header was passed since; 0: none. */
    private int passed(int loop, int other, int time) {
        int found = 0, now = thread.time;
        AssayLoops loops = AssayLoops.of(method);
        for (int at = loop; at != 0; at = loops.around(at)) {
            boolean since = (now - passes[at - 1] ^ SIGN) < (now - time ^ SIGN); // of unsigned numbers
            found = since && loops.isAround(at, other) ? at : found;
        }
        return found == 0 ? 0 : AssayLoops.scope(method, found);
    }

    /**
     * The outermost loop around an access (now) and the first one of its pair (at that time) that has iterated in between,
     * as AssayLoops.scope(); 0: none. (Su 2020, Claim 1.)
     */
    private int scope(int first, int time, int access) {
        AssayNode one = thread.nodeOf(first), two = this;
        if (one == null) {
            return 0;
        }
        if (time == 0) {
            thread.lostScopes++;
            return 0;
        }
        int loop = AssayLoops.of(one.method).ofAccess(first - one.base), other = AssayLoops.of(method).ofAccess(access);
        while (one != two) {
            if (one.depth >= two.depth) {
                loop = one.loopOfCall();
                one = one.parent;
            } else {
                other = two.loopOfCall();
                two = two.parent;
            }
        }
        int scope = one.passed(loop, other, time);
        for (AssayNode at = one.looped; at != null; at = at.parent.looped) {
            int around = at.loopOfCall(), outer = at.parent.passed(around, around, time);
            scope = outer != 0 ? outer : scope;
        }
        return scope;
    }
}
