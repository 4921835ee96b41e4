/** Starts this many threads, four at a time; each works for about a millisecond. */
public class Churn {
    static volatile long sink;

    static void work() {
        long x = 1;
        for (int i = 0; i < 500_000; i++) x = x * 31 + i;
        sink = x;
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] running = new Thread[4];
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            if (running[i % 4] != null) running[i % 4].join();
            running[i % 4] = new Thread(Churn::work, "churning thread number " + i);
            running[i % 4].start();
        }
        for (Thread thread : running) thread.join();
        System.out.println("done");
    }
}
