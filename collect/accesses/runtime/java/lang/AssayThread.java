package java.lang;

import jdk.internal.misc.Unsafe;

/** What one thread has counted. */
public final class AssayThread {
    private static final int NODES_MOST = 1 << 23, CACHED = 1 << 8, BLOCK = 1 << 12;

    private static AssayThread last; // of the list of all
    private static int nodesOfAll;

    public AssayNode at; // the method that runs, or called what runs …
    public int site; // … with this call
    AssayNode cut;
    int number;
    long reused; // calls that got the node of an earlier one …
    long lumped; // … and those that got one below `cut`
    final AssayPairs loads = new AssayPairs();
    final AssayPairs silentStores = new AssayPairs();
    final AssayPairs deadStores = new AssayPairs();
    final long[] alone = new long[16];
    private final AssayShadow[] cache = new AssayShadow[CACHED];
    private Object held; // the object whose address is read
    private AssayNode root;
    private AssayThread before;
    private int nextHandle;
    private int handlesEnd;

    /** Of the thread that stands for all that are not recorded. */
    AssayThread() {
    }

    /** The calling thread's; null: nothing of it is recorded. */
    static AssayThread current() {
        Thread self = Thread.currentThread();
        AssayThread thread = (AssayThread) AssayShadow.UNSAFE.getReference(self, AssayShadow.THREAD);
        return thread == null ? make(self) : thread;
    }

    private static AssayThread make(Thread self) {
        Unsafe unsafe = AssayShadow.UNSAFE;
        if (unsafe.getReference(self, AssayShadow.ASIDE) != null) {
            return null;
        }
        unsafe.putReference(self, AssayShadow.ASIDE, AssayNode.MUTE.thread);
        AssayThread made = new AssayThread();
        made.number = AssayOutput.thread();
        made.root = new AssayNode(made, null, 0, 0, made.handles(1));
        made.cut = new AssayNode(made, made.root, 0, 0, made.handles(1));
        made.at = made.root;
        synchronized (AssayThread.class) {
            made.before = last;
            last = made;
        }
        unsafe.putReference(self, AssayShadow.THREAD, made);
        unsafe.putReference(self, AssayShadow.ASIDE, null);
        return made;
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

    boolean hasRoom() {
        return nodesOfAll < NODES_MOST;
    }

    /** The first of `count` handles. */
    int handles(int count) {
        nodesOfAll++; // threads may lose a few of each other's
        if (nextHandle + count > handlesEnd) {
            int block = count > BLOCK ? count : BLOCK;
            nextHandle = AssayOutput.handles(number, block);
            handlesEnd = nextHandle + block;
        }
        int first = nextHandle;
        nextHandle += count;
        return first;
    }

    /** Where an object is now. */
    long address(Object object) {
        held = object;
        long address = AssayShadow.NARROW ? AssayShadow.UNSAFE.getInt(this, AssayShadow.HELD)
            : AssayShadow.UNSAFE.getLong(this, AssayShadow.HELD);
        held = null;
        return address;
    }

    AssayShadow shadow(Object array, int length, int handle) {
        AssayShadow found = cache[handle & CACHED - 1];
        if (found != null && found.refersTo(array)) {
            return found;
        }
        found = AssayShadow.of(array, length, this);
        cache[handle & CACHED - 1] = found;
        return found;
    }

    /** Hands over what all threads have counted, also those that still run. */
    static void finishAll() {
        for (AssayThread thread = last; thread != null; thread = thread.before) {
            thread.define(thread.root, 0, 0);
        }
        for (AssayThread thread = last; thread != null; thread = thread.before) {
            thread.loads.finish(thread.number, 0);
            thread.silentStores.finish(thread.number, 1);
            thread.deadStores.finish(thread.number, 2);
            AssayOutput.alone(thread.number, thread.alone);
            AssayOutput.lost(thread.reused, thread.lumped);
        }
    }

    /** The tree, parents first, without recursion. */
    private void define(AssayNode top, int parent, int parentMethod) {
        AssayNode[] stack = new AssayNode[1024];
        int depth = 0;
        stack[depth++] = cut;
        stack[depth++] = top;
        while (depth > 0) {
            AssayNode node = stack[--depth];
            AssayNode above = node.parent;
            node.number = AssayOutput.node(number, above == null ? 0 : above.number, above == null ? 0 : above.method,
                node.site, node.method, node.base, node == cut);
            AssayNode[] children = node.children;
            for (int i = 0; i < children.length; i++) {
                AssayNode child = children[i];
                if (child != null && child.parent == node && child.number == 0) {
                    if (depth == stack.length) {
                        AssayNode[] larger = new AssayNode[depth * 2];
                        System.arraycopy(stack, 0, larger, 0, depth);
                        stack = larger;
                    }
                    stack[depth++] = child;
                }
            }
        }
    }
}
