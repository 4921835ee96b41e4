import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/** Accesses that are known on paper, with their places and values; each case is a method, for n rounds. */
public final class Places {
    /** With compressed references: a header of 12 bytes, two fields of 4, so 24 bytes each. */
    static final class Node {
        Node next;
        int value;

        Node(Node next, int value) {
            this.next = next;
            this.value = value;
        }
    }

    static final class Two {
        int first;
        long second;
    }

    static class Lazy {
        static int value = 5;
    }

    /** Its outer object is stored before super(). */
    final class Inner {
        int own = 3;
    }

    static int counter;
    static Object kept;

    static void consume(long value) {
        if (value == 123456789) {
            throw new IllegalStateException();
        }
    }

    /** n loads, 4 bytes apart, of 0, 1, … */
    static void ints(int[] all) {
        long sum = 0;
        for (int i = 0; i < all.length; i++) {
            sum += all[i];
        }
        consume(sum);
    }

    /** n stores, 8 bytes apart, of 0, -1, … */
    static void longs(long[] all) {
        for (int i = 0; i < all.length; i++) {
            all[i] = -i;
        }
    }

    /** n stores, 1 byte apart, of 255. */
    static void bytes(byte[] all) {
        for (int i = 0; i < all.length; i++) {
            all[i] = -1;
        }
    }

    /** n stores and n loads of the same object, as far apart as a reference is large. */
    static void references(Object[] all, Object one) {
        for (int i = 0; i < all.length; i++) {
            all[i] = one;
        }
        for (int i = 0; i < all.length; i++) {
            consume(all[i] == one ? 0 : 123456789);
        }
    }

    /** n loads of each field, in turn. */
    static void fields(Two two, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += two.first + two.second;
        }
        consume(sum);
    }

    /** The constructor stores next, then value, of n nodes. */
    static Node list(int n) {
        Node head = null;
        for (int i = 0; i < n; i++) {
            head = new Node(head, i);
        }
        return head;
    }

    /** n loads of next, the value of each of which is the next node; the last one is null. */
    static void walk(Node head) {
        for (Node at = head; at != null; at = at.next) {
        }
    }

    /** n stores of 0, 1, … in this order. */
    static void count(int n) {
        for (int i = 0; i < n; i++) {
            counter = i;
        }
    }

    /** 10 loads and 10 stores; then 9 of each, of which the stores are one element further; then nothing. */
    static void copies(int[] from, int[] to) {
        System.arraycopy(from, 0, to, 0, 10);
        System.arraycopy(to, 0, to, 1, 9);
        try {
            System.arraycopy(from, from.length - 5, to, 0, 10);
        } catch (IndexOutOfBoundsException expected) {
            consume(0);
        }
    }

    /** 10 loads and 10 stores. */
    static int[] clones(int[] from) {
        return from.clone();
    }

    /** Of four elements the first two can be copied: 2 loads, 2 stores. */
    static void partly(Object[] from, String[] to) {
        try {
            System.arraycopy(from, 0, to, 0, 4);
        } catch (ArrayStoreException expected) {
            consume(0);
        }
    }

    /** None of these accesses happens. */
    static void failing(Two none, int[] all, Object[] texts) {
        for (int i = 0; i < 6; i++) {
            try {
                switch (i) {
                case 0: consume(none.first); break;
                case 1: none.second = 1; break;
                case 2: consume(all[10]); break;
                case 3: all[-1] = 1; break;
                case 4: texts[0] = 1; break;
                default: consume(((int[]) (Object) none)[0]); break;
                }
            } catch (RuntimeException expected) {
                consume(0);
            }
        }
    }

    /** A load of 5, after the initializer has stored it. */
    static void lazy() {
        consume(Lazy.value);
    }

    Inner inner() {
        return new Inner();
    }

    /** n times a load of i and a store of i + 1, in AtomicInteger. */
    static void atomic(AtomicInteger all, int n) {
        for (int i = 0; i < n; i++) {
            all.incrementAndGet();
        }
    }

    /** n stores, 4 bytes apart, outside of the heap. */
    static void direct(ByteBuffer all, int n) {
        for (int i = 0; i < n; i++) {
            all.putInt(4 * i, i);
        }
    }

    private static Thread start(String name, int n) {
        int[] own = new int[n];
        for (int i = 0; i < n; i++) {
            own[i] = i;
        }
        Thread thread = new Thread(() -> ints(own), name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int n = Integer.parseInt(arguments[0]);
        int[] numbers = new int[n];
        for (int i = 0; i < n; i++) {
            numbers[i] = i;
        }
        ints(numbers);
        longs(new long[n]);
        bytes(new byte[n]);
        references(new Object[n], new Object());
        fields(new Two(), n);
        for (int round = 0; round < 10; round++) {
            walk(list(n));
            kept = new byte[1 << 22];
        }
        count(n);
        copies(numbers.clone(), new int[12]);
        clones(new int[] {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
        partly(new Object[] {"a", null, 1, "b"}, new String[4]);
        failing(null, new int[10], new String[1]);
        lazy();
        kept = new Places().inner();
        atomic(new AtomicInteger(), n);
        direct(ByteBuffer.allocateDirect(4 * n).order(ByteOrder.nativeOrder()), n);
        Thread a = start("one", n), b = start("two", n);
        a.join();
        b.join();
        System.out.println("done " + counter);
    }
}
