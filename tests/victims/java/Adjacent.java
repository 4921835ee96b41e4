import java.util.ArrayList;
import java.util.List;

/**
 * Loads of elements whose neighbors returned the same value before. Each method is called N times with an array of M
 * elements. All values that a method puts into an array differ, by more than the tolerance, unless it says otherwise.
 */
public class Adjacent {
    private static final int M = 20;

    private Adjacent() {
    }

    /** All move toward the end: of the M - 1 elements that a call loads, all but the first have moved since the last call. */
    private static void bytesUp(byte[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = (byte) n;
    }

    private static void charsUp(char[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = (char) n;
    }

    private static void shortsUp(short[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = (short) n;
    }

    private static void intsUp(int[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = n;
    }

    private static void longsUp(long[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = n;
    }

    private static void floatsUp(float[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = 1.5f * n;
    }

    private static void doublesUp(double[] a, int n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = 1.5 * n;
    }

    private static void objectsUp(Object[] a, Object n) {
        for (int i = M - 1; i > 0; i--) {
            a[i] = a[i - 1];
        }
        a[0] = n;
    }

    /** The same toward the beginning: all but the last have moved. */
    private static void intsDown(int[] a, int n) {
        for (int i = 0; i < M - 1; i++) {
            a[i] = a[i + 1];
        }
        a[M - 1] = n;
    }

    private static void copyUp(int[] a, int n) {
        System.arraycopy(a, 0, a, 1, M - 1);
        a[0] = n;
    }

    private static void copyDown(Object[] a, Object n) {
        System.arraycopy(a, 1, a, 0, M - 1);
        a[M - 1] = n;
    }

    /** By two positions: nothing is adjacent. */
    private static void copyFar(int[] a, int n) {
        System.arraycopy(a, 0, a, 2, M - 2);
        a[0] = n;
        a[1] = 1000 + n;
    }

    /** Stores what a move toward the end leaves, and loads nothing. */
    private static void store(int[] a, int n) {
        for (int i = 0; i < M; i++) {
            a[i] = n - i;
        }
    }

    /** An element is loaded after the one before, whose last load returned its new value. */
    private static int scanUp(int[] a) {
        int sum = 0;
        for (int i = 0; i < M; i++) {
            sum += a[i];
        }
        return sum;
    }

    /** The other way the last load of the element before returned its old value, which this one has now. */
    private static int scanDown(int[] a) {
        int sum = 0;
        for (int i = M - 1; i >= 0; i--) {
            sum += a[i];
        }
        return sum;
    }

    /** The first element is always NaN; the second one is NaN at every other call, and 1 at the others. */
    private static double notNumbers(double[] a, int n) {
        a[1] = n % 2 == 0 ? Double.NaN : 1;
        return a[0] + a[1];
    }

    /** 0.0, and -0.0 or 1. */
    private static double zeros(double[] a, int n) {
        a[1] = n % 2 == 0 ? -0.0 : 1;
        return a[0] + a[1];
    }

    /** 100, and 100.9 or 200: the former are equal within 1 %. */
    private static float near(float[] a, int n) {
        a[1] = n % 2 == 0 ? 100.9f : 200;
        return a[0] + a[1];
    }

    /** 100, and 101.1 or 200. */
    private static double far(double[] a, int n) {
        a[1] = n % 2 == 0 ? 101.1 : 200;
        return a[0] + a[1];
    }

    /** Null, and null or a text. */
    private static boolean nulls(Object[] a, int n) {
        a[1] = n % 2 == 0 ? null : "text";
        return a[0] == a[1];
    }

    /** Arrays with one element, and with none; indexes outside; copies that fail. */
    private static int odd(int[] one, int[] none, int n) {
        one[0] = n;
        int sum = one[0];
        System.arraycopy(none, 0, none, 0, 0);
        try {
            sum += none[0];
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        try {
            sum += one[-1];
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        try {
            System.arraycopy(one, 0, one, 1, 1);
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        return sum;
    }

    /** A new array at each call: no element was loaded before. */
    private static int fresh(int n) {
        int[] a = new int[M];
        a[0] = a[1] = n;
        return a[0] + a[1];
    }

    /** All M loads are silent from the second call on, and equal to their neighbors, too. */
    private static int equal(int[] a) {
        int sum = 0;
        for (int i = 0; i < M; i++) {
            sum += a[i];
        }
        return sum;
    }

    /** Loads 1 and 0 in turn. The element before is always 0, but never loaded. */
    private static int alone(int[] a, int n) {
        a[1] = n & 1;
        return a[1];
    }

    private static int inFront(int n) {
        List<String> list = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            list.add(0, "element " + i);
        }
        return list.size();
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]), all = 0;
        byte[] bytes = new byte[M];
        char[] chars = new char[M];
        short[] shorts = new short[M];
        int[] ints = new int[M], down = new int[M], copied = new int[M], far = new int[M], equal = new int[M];
        long[] longs = new long[M];
        float[] floats = new float[M];
        double[] doubles = new double[M];
        Object[] objects = new Object[M], moved = new Object[M];
        for (int i = 0; i < M; i++) {
            bytes[i] = (byte) -i;
            chars[i] = (char) (1000 + i);
            shorts[i] = (short) -i;
            ints[i] = down[i] = copied[i] = far[i] = -i;
            longs[i] = -i;
            floats[i] = -2 * i;
            doubles[i] = -2 * i;
            objects[i] = "object " + i;
            moved[i] = "moved " + i;
        }
        for (int k = 1; k <= n; k++) {
            bytesUp(bytes, k);
            charsUp(chars, k);
            shortsUp(shorts, k);
            intsUp(ints, k);
            longsUp(longs, k);
            floatsUp(floats, k);
            doublesUp(doubles, k);
            objectsUp(objects, "new " + k);
            intsDown(down, k);
            copyUp(copied, k);
            copyDown(moved, "late " + k);
            copyFar(far, k);
            all += equal(equal);
        }
        int[] up = new int[M], backward = new int[M], one = new int[1], none = new int[0];
        double[] notNumbers = {Double.NaN, 0}, zeros = {0.0, 0}, hundred = {100, 0};
        float[] hundredFloats = {100, 0};
        Object[] nothing = new Object[2];
        for (int k = 1; k <= n; k++) {
            store(up, k);
            store(backward, k);
            all += scanUp(up) + scanDown(backward) + odd(one, none, k) + fresh(k);
            all += (int) (zeros(zeros, k) + near(hundredFloats, k) + far(hundred, k));
            all += Double.isNaN(notNumbers(notNumbers, k)) ? 1 : 0;
            all += nulls(nothing, k) ? 1 : 0;
            if (k % 20 == 0) {
                System.gc();
            }
        }
        int[] two = new int[2];
        for (int k = 0; k < n; k++) {
            all += alone(two, k);
        }
        System.out.println(all + inFront(n) + ints[1] + down[1] + copied[1] + far[1]);
    }
}
