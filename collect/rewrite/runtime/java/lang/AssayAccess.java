package java.lang;

import jdk.internal.vm.annotation.DontInline;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** What is the same for all accesses: which kinds are recorded, when values are equal, and where a method begins. */
public final class AssayAccess {
    static final boolean MEMORY = AssayModes.memory() != 0;
    public static final boolean LOADS = (AssayModes.kinds() & 1) != 0;
    /** Loads are also compared with those of the elements before and after. */
    static final boolean ADJACENT = (AssayModes.kinds() & 8) != 0;
    static final boolean SILENT_STORES = (AssayModes.kinds() & 2) != 0;
    static final boolean DEAD_STORES = (AssayModes.kinds() & 4) != 0;
    public static final boolean STORES = SILENT_STORES || DEAD_STORES;
    private static final double TOLERANCE = AssayModes.tolerance() / 1e9;

    /*
     * What is kept of a place's last access: in the low half its handle, which for stores may carry LOADED, in the high
     * half the thread's time (AssayThread.time); 0: that is not known.
     */
    /** In a place's last store: it has been loaded since. */
    static final long LOADED = 1L << 31;

    /** The kind of a reference: the binary logarithm of its size. */
    public static int references;

    private static boolean begun; // the JVM is live
    private static boolean ready; // … and methods that begin have nothing else to do

    private AssayAccess() {
    }

    /** The agent calls this when the JVM is live: from now on accesses are recorded. */
    static void begin() {
        AssayThread.begin();
        AssayShadow.begin();
        references = AssayShadow.NARROW ? 2 : 3;
        AssayOutput.references(references);
        if (AssayAccess.MEMORY) {
            AssayMemory.begin();
        } else {
            AssayUnsafe.begin();
        }
        begun = true;
        ready = true;
    }

    /** Threads hand over what they have counted since the last time, as soon as they begin a method. */
    static synchronized void drain(long waitMillis) throws InterruptedException {
        if (begun) {
            AssayThread.drainAll(waitMillis);
        }
    }

    /** The end: methods that begin from now on are not recorded. */
    static synchronized void end() {
        begun = false;
        ready = false;
        if (AssayBursts.USED) {
            AssayBursts.finish();
        } else {
            AssayThread.drainLast();
        }
    }

    /** The node for a method that runs without probes, where a burst has begun: in a loop, or where it catches an exception. */
    @DontInline
    public static AssayNode reenter(int method, int accesses) {
        AssayThread thread = begun ? AssayThread.current() : null;
        if (thread == null) {
            return AssayNode.MUTE;
        }
        thread.site = AssayBursts.ELSEWHERE;
        return thread.at.child(AssayBursts.ELSEWHERE, method, accesses);
    }

    /** Whether methods that begin look for something to do. */
    static void interrupt(boolean now) {
        ready = !now;
    }

    /** The node of the calling-context tree for a method that begins. */
    @DontInline
    public static AssayNode enter(int method, int accesses) {
        if (!ready) {
            return enterSlowly(method, accesses);
        }
        AssayThread thread = AssayThread.current();
        return thread == null ? AssayNode.MUTE : thread.at.child(thread.site, method, accesses);
    }

    private static AssayNode enterSlowly(int method, int accesses) {
        AssayThread thread = begun ? AssayThread.current() : null;
        if (thread == null) {
            return AssayNode.MUTE;
        }
        thread.drainIfWanted();
        return thread.at.child(thread.site, method, accesses);
    }

    public static boolean same(int now, int before) {
        return now == before;
    }

    public static boolean same(boolean now, boolean before) {
        return now == before;
    }

    public static boolean same(long now, long before) {
        return now == before;
    }

    public static boolean same(float now, float before) {
        return Float.floatToRawIntBits(now) == Float.floatToRawIntBits(before) || isNear(now, before);
    }

    public static boolean same(double now, double before) {
        return Double.doubleToRawLongBits(now) == Double.doubleToRawLongBits(before) || isNear(now, before);
    }

    /** What is not a number, or is infinite, is near nothing but itself. */
    private static boolean isNear(double now, double before) {
        double difference = now - before;
        return difference - difference == 0
            && (difference < 0 ? -difference : difference) <= TOLERANCE * (before < 0 ? -before : before);
    }

    /** What has been collected since is not null either. */
    public static boolean same(Object now, Object kept) {
        return now == kept || now != null && kept instanceof AssayKept && ((AssayKept) kept).refersTo(now);
    }

    public static boolean equal(Object now, Object before) {
        return now == before;
    }

    /** What a place's last store becomes when the place is loaded. */
    public static long loaded(long store) {
        return AssayBursts.USED ? AssayBursts.loaded(store) : store | LOADED;
    }

    /** What to keep of a reference that is loaded. In bursts it must not be kept alive: nobody sees when it is replaced. */
    public static Object kept(Object kept, Object now) {
        return !AssayBursts.USED || now == null ? now : same(now, kept) ? kept : new AssayKept(now);
    }

    /** What to keep of the last loaded reference when `now` replaces `old`: nothing that would keep it alive. */
    public static Object kept(Object kept, Object old, Object now, AssayNode node) {
        return kept == old && old != now && old != null && node != AssayNode.MUTE ? new AssayKept(old) : kept;
    }

    /** The name of the method that a method, perhaps a copy, stands for. */
    public static String plain(String method) {
        return method != null && method.startsWith("assay$i$") ? method.substring("assay$i$".length()).intern() : method;
    }

    /** The fields of a class without ours, for reflection. */
    public static Field[] visible(Field[] all) {
        int count = 0;
        for (int i = 0; i < all.length; i++) {
            count += all[i].getName().startsWith("assay$") ? 0 : 1;
        }
        Field[] visible = count == all.length ? all : new Field[count];
        for (int i = 0, to = 0; i < all.length && count < all.length; i++) {
            if (!all[i].getName().startsWith("assay$")) {
                visible[to++] = all[i];
            }
        }
        return visible;
    }

    /** The same for methods. */
    public static Method[] visible(Method[] all) {
        int count = 0;
        for (int i = 0; i < all.length; i++) {
            count += all[i].getName().startsWith("assay$") ? 0 : 1;
        }
        Method[] visible = count == all.length ? all : new Method[count];
        for (int i = 0, to = 0; i < all.length && count < all.length; i++) {
            if (!all[i].getName().startsWith("assay$")) {
                visible[to++] = all[i];
            }
        }
        return visible;
    }
}
