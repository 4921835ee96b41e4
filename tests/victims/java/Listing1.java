/** Listing 1 of "Evaluating the accuracy of Java profilers" (2010): hot() does the work, cold() has the safepoint poll. */
public class Listing1 {
    static int[] array = new int[1024];

    public static void hot(int i) {
        int ii = (i + 10 * 100) % array.length;
        int jj = (ii + i / 33) % array.length;
        if (ii < 0) ii = -ii;
        if (jj < 0) jj = -jj;
        array[ii] = array[jj] + 1;
    }

    public static void cold(int count) {
        for (int i = 0; i < count; i++) hot(i);
    }

    public static void main(String[] arguments) {
        cold(Integer.parseInt(arguments[0]));
        System.out.println(array[5]);
    }
}
