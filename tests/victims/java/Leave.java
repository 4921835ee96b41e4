import java.util.concurrent.atomic.AtomicLong;

/** Ends in the requested way while four threads work, after they have worked long enough to be sampled. */
public class Leave {
    static volatile long sink;
    static final AtomicLong rounds = new AtomicLong();

    static void work() {
        for (;;) {
            long x = sink;
            for (int i = 0; i < 100_000; i++) x = x * 31 + i;
            sink = x;
            rounds.incrementAndGet();
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(Leave::work, "worker " + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        Thread.sleep(300);
        while (rounds.get() < 2000) Thread.sleep(10);
        switch (arguments[0]) {
            case "exit" -> System.exit(7);
            case "halt" -> Runtime.getRuntime().halt(8);
            case "throw" -> throw new IllegalStateException("as asked for");
            case "interrupt" -> {
                new ProcessBuilder("kill", "-INT", Long.toString(ProcessHandle.current().pid())).start();
                Thread.sleep(60_000);
            }
            default -> { }
        }
    }
}
