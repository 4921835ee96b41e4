/** Listing 1 of "Evaluating the Accuracy of Java Profilers" (PLDI 2010, section 6.3): hot does the work, cold calls it. */
public class Listing1 {
    static int[] array = new int[1024];
    static final int CALLS = Integer.getInteger("calls", Integer.MAX_VALUE); // the paper's, unless asked for fewer

    public static void hot(int i) {
        int ii = (i + 10 * 100) % array.length;
        int jj = (ii + i / 33) % array.length;
        if (ii < 0) ii = -ii;
        if (jj < 0) jj = -jj;
        array[ii] = array[jj] + 1;
    }

    public static void cold() {
        for (int i = 0; i < CALLS; i++)
            hot(i);
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++)
            cold();
        System.out.printf("listing1: %d iterations, checksum %08x%n", n, java.util.Arrays.hashCode(array));
    }
}
