import java.util.Random;

/**
 * Loops whose strides are known on paper, for a heap dump: objects of each kind are allocated in order, each of the same size. A
 * method calls the next one behind its loop, and the last one dumps the heap, so the dump has all of them on the stack of a
 * thread, with their arguments. The arguments: how often they are called without a dump before; the file of the dump; whether
 * only living objects are dumped, for which the JVM collects garbage first.
 */
public class Dumped {
    static class Item { // 24 bytes with compressed class pointers
        int first, second;
        Item next;

        Item(int first) {
            this.first = first;
        }
    }

    static class Part extends Item { // 32 bytes; `third` is at 24
        long third;

        Part(int first) {
            super(first);
        }
    }

    static String file;
    static boolean living;
    static Item ordered, shuffled, halved;
    static int[] index = new int[1000];
    static long[] numbers = new long[1000];

    static int items(Item[] a) throws Exception {
        int sum = 0;
        for (int i = 0; i < a.length; i++)
            sum += a[i].second;
        return sum + parts(new Part[0], 1);
    }

    // The array is one of parts, the parameter one of items
    static int parts(Item[] none, int unknown) throws Exception {
        return none.length + ordered(ordered, "text");
    }

    static int ordered(Item at, Object text) throws Exception {
        int sum = 0;
        for (Item item = at; item != null; item = item.next)
            sum += item.first;
        return sum + shuffled(1L, shuffled);
    }

    static int shuffled(long wide, Item at) throws Exception {
        int sum = 0;
        for (Item item = at; item != null; item = item.next)
            sum += item.first;
        return sum + halved(halved);
    }

    static int halved(Item at) throws Exception {
        int sum = 0;
        for (Item item = at; item != null; item = item.next)
            sum += item.first;
        return sum + indirect(numbers, index);
    }

    static int indirect(long[] a, int[] b) throws Exception {
        int sum = 0;
        for (int i = 0; i < b.length; i++)
            sum += a[b[i]];
        return sum + statics();
    }

    static int statics() throws Exception {
        int sum = 0;
        for (int i = 0; i < numbers.length; i += 2)
            sum += numbers[i];
        dump();
        return sum;
    }

    /** Is on no stack: its argument is chosen. */
    static long chosen(Part[] parts) {
        long sum = 0;
        for (int i = 0; i < parts.length; i++)
            sum += parts[i].third;
        return sum;
    }

    static void dump() throws Exception {
        if (file != null)
            java.lang.management.ManagementFactory
                .getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(file, living);
    }

    static Item chain(int n, Random random) {
        Item[] all = new Item[n];
        for (int i = 0; i < n; i++)
            all[i] = new Item(i);
        for (int i = n - 1; random != null && i > 0; i--) {
            int j = random.nextInt(i + 1);
            Item swapped = all[i];
            all[i] = all[j];
            all[j] = swapped;
        }
        for (int i = 0; i + 1 < n; i++)
            all[i].next = all[i + 1];
        return all[0];
    }

    public static void main(String[] arguments) throws Exception {
        int n = 1000;
        Item[] items = new Item[n];
        Part[] parts = new Part[n];
        for (int i = 0; i < n; i++)
            items[i] = new Item(i);
        for (int i = 0; i < n; i++)
            parts[i] = new Part(i);
        for (int i = 0; i < n; i++)
            index[i] = i * 7 % n;
        ordered = chain(n, null);
        shuffled = chain(n, new Random(1));
        halved = chain(2 * n, null);
        for (Item item = halved; item != null; item = item.next)
            item.next = item.next.next;
        int sum = 0;
        for (int round = Integer.parseInt(arguments[0]); round > 0; round--)
            sum += items(items);
        file = arguments[1];
        living = Boolean.parseBoolean(arguments[2]);
        System.out.println(sum + items(items) + chosen(parts));
    }
}
