import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import sun.misc.Unsafe;

/**
 * Accesses through Unsafe, VarHandle and atomics whose pairs are known on paper. Each case is a method, for n rounds;
 * a place is loaded, or stored, by what that method calls.
 */
public final class Atomics {
    static final Unsafe UNSAFE = unsafe();
    static final long INT = offset("i"), DOUBLE = offset("d"), BYTE = offset("b"), REFERENCE = offset("o");
    static final long INTS = UNSAFE.arrayBaseOffset(int[].class), BYTES = UNSAFE.arrayBaseOffset(byte[].class);
    static final VarHandle FIELD = handle("i"), SHARED = shared(),
        ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    int i;
    double d;
    byte b;
    Object o;
    volatile int updated;
    static int s;

    static Unsafe unsafe() {
        try {
            Field only = Unsafe.class.getDeclaredField("theUnsafe");
            only.setAccessible(true);
            return (Unsafe) only.get(null);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static long offset(String field) {
        try {
            return UNSAFE.objectFieldOffset(Atomics.class.getDeclaredField(field));
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(Atomics.class, field, int.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static VarHandle shared() {
        try {
            return MethodHandles.lookup().findStaticVarHandle(Atomics.class, "s", int.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static void consume(boolean good) {
        if (!good) {
            throw new IllegalStateException();
        }
    }

    /** n - 1 loads that are not silent, n - 1 stores that are neither silent nor dead: the first ones are in no pair. */
    static void increment(AtomicInteger counter, int n) {
        for (int k = 0; k < n; k++) {
            consume(counter.incrementAndGet() == k + 1);
        }
    }

    /** n - 1 loads and n - 1 stores, all silent. */
    static void addNothing(AtomicInteger counter, int n) {
        for (int k = 0; k < n; k++) {
            consume(counter.getAndAdd(0) == 0);
        }
    }

    /** 2 n - 1 stores, all silent and dead. */
    static void setSame(AtomicInteger counter, int n) {
        for (int k = 0; k < n; k++) {
            counter.set(7);
            counter.lazySet(7);
        }
    }

    /** n - 1 loads that are not silent; n - 1 stores of set(). */
    static void failing(AtomicInteger counter, int n) {
        for (int k = 0; k < n; k++) {
            counter.set(k);
            consume(!counter.compareAndSet(-1, -2));
        }
    }

    /** As increment(). */
    static void succeeding(AtomicInteger counter, int n) {
        for (int k = 0; k < n; k++) {
            consume(counter.compareAndSet(k, k + 1));
        }
    }

    /** n - 1 loads that are not silent; n stores, since the constructor was the first. */
    static void exchanging(AtomicReference<Object> box, int n) {
        for (int k = 0; k < n; k++) {
            consume(box.getAndSet((k & 1) == 0 ? "b" : "a") == ((k & 1) == 0 ? "a" : "b"));
        }
    }

    /** As increment() for each of ten elements. */
    static void elements(AtomicLongArray array, int n) {
        for (int k = 0; k < n; k++) {
            for (int at = 0; at < 10; at++) {
                array.set(at, k);
                consume(array.get(at) == k);
            }
        }
    }

    /** As increment(). */
    static void updater(AtomicIntegerFieldUpdater<Atomics> updater, Atomics o, int n) {
        for (int k = 0; k < n; k++) {
            consume(updater.addAndGet(o, 1) == k + 1);
        }
    }

    /** As increment(). */
    static void handleField(Atomics o, int n) {
        for (int k = 0; k < n; k++) {
            FIELD.setVolatile(o, k);
            consume((int) FIELD.getAcquire(o) == k);
        }
    }

    /** n dead stores, none silent. */
    static void handleShared(int n) {
        for (int k = 0; k < n; k++) {
            SHARED.set(k & 1);
        }
    }

    /** As increment(). */
    static void handleElement(long[] array, int n) {
        for (int k = 0; k < n; k++) {
            consume((long) ELEMENT.getAndAdd(array, 2, 1L) == k);
        }
    }

    /** Bytecode and a handle meet at the same place: as increment(). */
    static void mixed(Atomics o, int n) {
        for (int k = 0; k < n; k++) {
            o.i = k;
            consume((int) FIELD.getOpaque(o) == k);
        }
    }

    /** Of each of four fields n - 1 dead stores; those of three are silent, since the doubles differ by 0.1 %. */
    static void putField(Atomics o, int n) {
        for (int k = 0; k < n; k++) {
            UNSAFE.putInt(o, INT, k);
            UNSAFE.putDouble(o, DOUBLE, 1 + (k & 1) * 0.001);
            UNSAFE.putByte(o, BYTE, (byte) -1);
            UNSAFE.putObject(o, REFERENCE, "x");
        }
    }

    /** As increment(), for each of four fields. */
    static void getField(Atomics o, int n) {
        for (int k = 0; k < n; k++) {
            o.i = k;
            o.d = k & 1;
            o.b = (byte) k;
            o.o = (k & 1) == 0 ? "a" : "b";
            consume(UNSAFE.getInt(o, INT) == k && UNSAFE.getDouble(o, DOUBLE) == (k & 1)
                && UNSAFE.getByte(o, BYTE) == (byte) k && UNSAFE.getObject(o, REFERENCE) != null);
        }
    }

    /** n - 1 stores, silent and dead. */
    static void putElement(int[] array, int n) {
        for (int k = 0; k < n; k++) {
            UNSAFE.putInt(array, INTS + 12, 9);
        }
    }

    /** 8 n bytes that are no element, and 4 n that are not aligned to one. */
    static void putWide(byte[] array, int[] ints, int n) {
        for (int k = 0; k < n; k++) {
            UNSAFE.putLong(array, BYTES, k);
            UNSAFE.putInt(ints, INTS + 2, k);
        }
    }

    /** 12 n + 100 bytes outside of the heap. */
    static void outside(int n) {
        long address = UNSAFE.allocateMemory(100);
        UNSAFE.setMemory(address, 100, (byte) 0);
        for (int k = 0; k < n; k++) {
            UNSAFE.putLong(address, k);
            consume(UNSAFE.getInt(address) == k);
        }
        UNSAFE.freeMemory(address);
    }

    static void all(int n) {
        increment(new AtomicInteger(), n);
        addNothing(new AtomicInteger(), n);
        setSame(new AtomicInteger(), n);
        failing(new AtomicInteger(), n);
        succeeding(new AtomicInteger(), n);
        exchanging(new AtomicReference<>("a"), n);
        elements(new AtomicLongArray(10), n);
        updater(AtomicIntegerFieldUpdater.newUpdater(Atomics.class, "updated"), new Atomics(), n);
        handleField(new Atomics(), n);
        handleShared(n);
        handleElement(new long[5], n);
        mixed(new Atomics(), n);
        putField(new Atomics(), n);
        getField(new Atomics(), n);
        putElement(new int[5], n);
        putWide(new byte[16], new int[4], n);
        outside(n);
    }

    /** The second time nothing is new but the objects. */
    static void measured(int n) {
        all(n);
    }

    public static void main(String[] arguments) {
        all(2);
        measured(Integer.parseInt(arguments[0]));
        System.out.println("done " + s);
    }
}
