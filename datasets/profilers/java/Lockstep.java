import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that works for 6 % of each 20 ms and sleeps for the rest, watched by a sampler in the same JVM that looks every 20
 * ms on average: at fixed intervals, as VisualVM does, or at random ones. In lockstep it always meets the same phase.
 *
 * Each has its own processor: a sampler that wakes on the worker's processor while it works would run only when the worker
 * sleeps, and so lose up to half of its hits.
 *
 * Lockstep fixed|random SECONDS FILE: writes what `perf script` would print, and prints the true share of work.
 */
public class Lockstep {
    static final long PERIOD_NS = 20_000_000, WORK_NS = PERIOD_NS * 6 / 100;
    static double sink;

    static void sleepUntil(long time) throws InterruptedException {
        long left = time - System.nanoTime();
        if (left > 0)
            TimeUnit.NANOSECONDS.sleep(left);
    }

    /** The processors that the program may use, as the kernel lists them: 0-3,8. */
    static String processors() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("Cpus_allowed_list:"))
                return line.split("\\s+")[1];
        throw new IllegalStateException("/proc/self/status does not list processors");
    }

    /** Pins the calling thread to this processor. */
    static void keepTo(String processor) throws Exception {
        String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
        if (new ProcessBuilder("taskset", "-p", "-c", processor, thread).start().waitFor() != 0)
            throw new IllegalStateException("taskset failed");
    }

    static void work(long until) {
        while (System.nanoTime() < until)
            sink += Math.sqrt(sink + 1);
    }

    static void sample(PrintWriter out, Thread watched) {
        StackTraceElement[] stack = watched.getStackTrace();
        double now = System.nanoTime() / 1e9;
        out.printf("lockstep 7 %.6f: wall-clock: %n", now);
        for (StackTraceElement frame : stack)
            out.printf("\t%x %s.%s+0x1 (/lockstep)%n", 4096 + frame.hashCode() % 4096, frame.getClassName(), frame.getMethodName());
        out.println();
    }

    static void watch(boolean random, long start, long end, Path file, Thread watched) throws Exception {
        Random numbers = new Random(1);
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            for (long next = start + PERIOD_NS / 2; next < end;) {
                sleepUntil(next);
                sample(out, watched);
                next += random ? (long) (PERIOD_NS * (0.5 + numbers.nextDouble())) : PERIOD_NS;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        boolean random = args[0].equals("random");
        String[] processors = processors().split("[,-]");
        if (processors.length < 2)
            System.err.println("Lockstep: there is one processor only: the sampler waits for the program, and misses most of its work");
        keepTo(processors[0]);
        long length = (long) (Double.parseDouble(args[1]) * 1e9), worked = 0;
        Thread main = Thread.currentThread();
        CompletableFuture<Long> begin = new CompletableFuture<>();
        Thread sampler = new Thread(() -> {
            try {
                keepTo(processors[processors.length - 1]);
                begin.complete(System.nanoTime() + 10 * PERIOD_NS);
                watch(random, begin.get(), begin.get() + length, Path.of(args[2]), main);
            } catch (Exception e) {
                begin.completeExceptionally(e);
                throw new IllegalStateException(e);
            }
        });
        sampler.start();
        long start = begin.get(), end = start + length;
        for (long next = start; next < end; next += PERIOD_NS) {
            sleepUntil(next);
            long from = System.nanoTime();
            work(from + WORK_NS);
            worked += System.nanoTime() - from;
        }
        sampler.join();
        System.out.printf("%.1f%n", 100.0 * worked / (end - start));
    }
}
