import java.util.Random;

/** Loops whose strides are known on paper: objects of each kind are allocated in order, each of the same size. */
public class Inspected {
    static class Item { // 24 bytes with compressed class pointers
        int first, second;
        Item next;

        Item(int first) {
            this.first = first;
        }
    }

    static int ints(int[] a) {
        int sum = 0;
        for (int i = 0; i < a.length; i++)
            sum += a[i];
        return sum;
    }

    static int items(Item[] a) {
        int sum = 0;
        for (int i = 0; i < a.length; i++)
            sum += a[i].second;
        return sum;
    }

    static int ordered(Item at) {
        int sum = 0;
        for (; at != null; at = at.next)
            sum += at.first;
        return sum;
    }

    static int shuffled(Item at) {
        int sum = 0;
        for (; at != null; at = at.next)
            sum += at.first;
        return sum;
    }

    static double column(double[][] matrix, int column) {
        double sum = 0;
        for (int i = 0; i < matrix.length; i++)
            sum += matrix[i][column];
        return sum;
    }

    static int indirect(int[] a, int[] b) {
        int sum = 0;
        for (int i = 0; i < b.length; i++)
            sum += a[b[i]];
        return sum;
    }

    static int backwards(long[] a, int step) {
        int sum = 0;
        for (int i = a.length - 1; i >= 0; i -= step)
            sum += a[i];
        return sum;
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

    public static void main(String[] arguments) {
        int n = 1000, rounds = Integer.parseInt(arguments[0]);
        int[] a = new int[n], b = new int[n];
        long[] c = new long[n];
        double[][] matrix = new double[n][64];
        Item[] items = new Item[n];
        for (int i = 0; i < n; i++) {
            items[i] = new Item(i);
        }
        for (int i = 0; i < n; i++) {
            a[i] = i;
            b[i] = i * 7 % n;
            c[i] = i;
        }
        Item ordered = chain(n, null), shuffled = chain(n, new Random(1));
        double sum = 0;
        for (int round = 0; round < rounds; round++)
            sum += ints(a) + items(items) + ordered(ordered) + shuffled(shuffled) + column(matrix, 3) + indirect(a, b)
                + backwards(c, 2);
        System.out.println(sum);
    }
}
