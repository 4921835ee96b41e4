import java.util.ArrayList;
import java.util.List;

/** Starts this many virtual threads, which work and park. Needs Java 21. */
public class Virtual {
    static volatile long sink;

    static void work() {
        for (int round = 0; round < 5; round++) {
            long x = 1;
            for (int i = 0; i < 1_000_000; i++) x = x * 31 + i;
            sink = x;
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) threads.add(Thread.ofVirtual().start(Virtual::work));
        for (Thread thread : threads) thread.join();
        System.out.println("done");
    }
}
