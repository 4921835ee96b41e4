import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * One call of loop(), which is compiled and replaced on the stack while it runs; halfway it needs a class for the first time, so
 * its compiled code is given up, and compiled and replaced again. Prints the CPU time of the call in ns.
 */
public class Replaced {
    static class Rare {
        static long value = System.nanoTime() & 1;
    }

    static long loop(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + (i ^ sum >>> 7);
            if (i == n / 2) sum += Rare.value;
        }
        return sum;
    }

    public static void main(String[] arguments) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int n = Integer.parseInt(arguments[0]);
        long from = threads.getCurrentThreadCpuTime();
        long sum = loop(n);
        long ns = threads.getCurrentThreadCpuTime() - from;
        System.out.println(ns + (sum == 1 ? " " : ""));
    }
}
