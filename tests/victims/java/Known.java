import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that knows what a profiler should say: how much CPU time hot() took, including the work injected into it, and how
 * much the rest took, of all Java threads since this class was loaded: a profiler of Java threads sees nothing before that. It
 * prints both, in ms, and writes its own profile, as perf script would, with samples whose shares are those times.
 *
 * Known FILE POPULATION ROUNDS [THREADS] [IDLE_MS] [GARBAGE]: POPULATION is java (only Java threads) or all (with the JVM's
 * own threads, since the process began); each round of hot() and rest() ends with IDLE_MS of sleep and GARBAGE bytes of arrays.
 */
public class Known {
    static final long BEGUN = ownTime();
    static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();
    static volatile long sink;
    static volatile byte[] garbage;

    /** CPU time of this thread, in ns, as the kernel counts it: asking through TIMES loads hundreds of classes. */
    static long ownTime() {
        try {
            return Long.parseLong(new String(Files.readAllBytes(Path.of("/proc/thread-self/schedstat"))).split(" ")[0]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void hot(int n) {
        long x = sink;
        for (int i = 0; i < n; i++) x = x * 6364136223846793005L + i;
        sink = x;
    }

    static void rest(int n) {
        long x = sink;
        for (int i = 0; i < n; i++) x = x * 2862933555777941757L + i;
        sink = x;
    }

    /** Calls of a round. The time of hot() is summed over blocks of calls, since reading the clock takes time itself. */
    static long round(int idle, int bytes) throws InterruptedException {
        long hot = 0;
        for (int block = 0; block < 20; block++) {
            long begun = TIMES.getCurrentThreadCpuTime();
            for (int call = 0; call < 100; call++) hot(1000);
            hot += TIMES.getCurrentThreadCpuTime() - begun;
            for (int call = 0; call < 100; call++) rest(1000);
            for (int left = bytes / 20; left > 0; left -= 1000) garbage = new byte[1000];
        }
        if (idle > 0) Thread.sleep(idle);
        return hot;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[2]), threads = args.length > 3 ? Integer.parseInt(args[3]) : 1;
        int idle = args.length > 4 ? Integer.parseInt(args[4]) : 0, bytes = args.length > 5 ? Integer.parseInt(args[5]) : 0;
        var process = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long[] hot = new long[threads], own = new long[threads];
        long wall = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int number = t;
            Thread worker = new Thread(() -> {
                try {
                    for (int r = 0; r < rounds; r++) hot[number] += round(idle, bytes);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                own[number] = TIMES.getCurrentThreadCpuTime();
            });
            workers.add(worker);
            worker.start();
        }
        for (Thread worker : workers) worker.join();
        long waited = System.nanoTime() - wall;
        long inHot = 0, java = ownTime() - BEGUN, all = process.getProcessCpuTime();
        for (int t = 0; t < threads; t++) {
            inHot += hot[t];
            java += own[t];
        }
        System.out.printf("%.3f %.3f%n", inHot / 1e6, java / 1e6);
        write(args[0], waited, inHot, java, args[1].equals("all") ? Math.max(all - java, 0) : 0);
    }

    /** 2000 samples over the elapsed time, interleaved so that any part of them has the same shares. */
    static void write(String file, long waited, long inHot, long java, long others) throws IOException {
        int samples = 2000;
        double hot = 0, jvm = 0, total = java + others;
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < samples; i++) {
            hot += inHot / total;
            jvm += others / total;
            boolean isJvm = jvm >= 0.5, isHot = !isJvm && hot >= 0.5;
            if (isJvm) jvm--;
            if (isHot) hot--;
            long at = (long) (waited * (i + 0.5) / samples);
            out.append(isJvm ? "C2 CompilerThre 8 " : "java 7 ").append(100 + at / 1000000000).append('.');
            out.append(Long.toString(1000000000 + at % 1000000000), 1, 10).append(": cpu-clock:\n\t");
            out.append(isJvm ? "1000 Compile::Compile (libjvm.so)" : isHot ? "2000 Known.hot (/tmp/perf-7.map)" : "2100 Known.rest (/tmp/perf-7.map)").append("\n\n");
        }
        Files.writeString(Path.of(file), out);
    }
}
