import java.util.BitSet;

/** Loads of arrays' lengths, N times each method's loop. */
public class Lengths {
    private static int sum;

    /** The condition loads the length once more than the body runs. */
    private static void loop(int[] a) {
        for (int i = 0; i < a.length; i++) {
            sum = i;
        }
    }

    /** Arrays of all types. */
    private static int again(boolean[] z, byte[] b, char[] c, short[] s, int[] i, long[] j, float[] f, double[] d, Object[] o,
        int[][] ii) {
        return z.length + b.length + c.length + s.length + i.length + j.length + f.length + d.length + o.length + ii.length;
    }

    /** Each array is new. */
    private static int fresh(int i) {
        return new double[i & 7].length;
    }

    /** The rows have a length each, which is loaded twice. */
    private static int rows(byte[][] a) {
        int all = 0;
        for (byte[] row : a) {
            all += row.length + row.length;
        }
        return all;
    }

    private static int missing(boolean[] a) {
        try {
            return a.length;
        } catch (NullPointerException e) {
            return -1;
        }
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]), all = 0;
        loop(new int[n]);
        boolean[] z = {true};
        byte[] b = {1};
        char[] c = {1};
        short[] s = {1};
        int[] i = {1};
        long[] j = {1};
        float[] f = {1};
        double[] d = {1};
        Object[] o = {d};
        int[][] ii = {i};
        for (int k = 0; k < n; k++) {
            all += again(z, b, c, s, i, j, f, d, o, ii) + fresh(k) + missing(null);
        }
        long[] bits = {0, 1}; // of which valueOf() loads the length and the last element
        for (int k = 0; k < n; k++) {
            all += BitSet.valueOf(bits).length();
        }
        all += rows(new byte[n][5]);
        System.out.println(all);
    }
}
