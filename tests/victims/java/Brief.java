import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Short calls for a second and a half of CPU time, from fifty long ones; prints their number and their result. */
final class Brief {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static int brief(int a) {
        for (int i = 0; i < 2; i++) {
            a = a * 31 ^ i;
        }
        if (a == 0) {
            throw new IllegalStateException();
        }
        return a;
    }

    private static int extended(long until, long[] calls) {
        int sum = 0;
        for (; THREADS.getCurrentThreadCpuTime() < until; calls[0] += 1000) {
            for (int i = 1; i <= 1000; i++) {
                sum += brief(i) - ((i * 31) * 31 ^ 1);
            }
        }
        return sum;
    }

    public static void main(String[] arguments) {
        long begin = THREADS.getCurrentThreadCpuTime();
        long[] calls = {0};
        int sum = 0;
        for (int i = 1; i <= 50; i++) {
            sum += extended(begin + i * 30_000_000L, calls);
        }
        System.out.println("brief " + calls[0] + " sum " + sum);
    }
}
