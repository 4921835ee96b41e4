import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;

/** Repeats one program's work in one JVM, as the DaCapo harness does, and prints one line at the end. */
final class Harness {
    /** One iteration; its checksum must be the same every time. */
    interface Iteration {
        long run() throws Exception;
    }

    private Harness() {
    }

    /** Runs the iteration {@code count} times; what the program prints meanwhile is discarded. */
    static void repeat(String name, String count, Iteration iteration) throws Exception {
        int n = Integer.parseInt(count);
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        Moments moments = new Moments(System.getProperty("assay.moments"), n);
        long checksum = iteration.run();
        moments.add();
        for (int i = 2; i <= n; i++) {
            long again = iteration.run();
            moments.add();
            if (again != checksum) {
                throw new IllegalStateException(String.format("iteration %d gave %08x, not %08x", i, again, checksum));
            }
        }
        moments.write();
        out.printf("%s: %d iterations, checksum %08x%n", name, n, checksum);
    }

    /**
     * Where -Dassay.moments=FILE asks for it: the wall time, the CPU time of the process and that of the thread which
     * runs the iterations, ns, before the first iteration and after each, as lines of FILE.
     */
    private static final class Moments {
        private final String file;
        private final OperatingSystemMXBean system;
        private final long[] wall;
        private final long[] cpu;
        private final long[] thread;
        private int count;

        Moments(String file, int iterations) {
            this.file = file;
            system = file == null ? null : (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            wall = new long[file == null ? 0 : iterations + 1];
            cpu = new long[wall.length];
            thread = new long[wall.length];
            add();
        }

        void add() {
            if (system != null) {
                wall[count] = System.nanoTime();
                thread[count] = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                cpu[count++] = system.getProcessCpuTime();
            }
        }

        void write() throws IOException {
            if (file == null) {
                return;
            }
            StringBuilder lines = new StringBuilder("wall_ns,cpu_ns,thread_ns\n");
            for (int i = 0; i < count; i++) {
                lines.append(wall[i]).append(',').append(cpu[i]).append(',').append(thread[i]).append('\n');
            }
            Files.writeString(Path.of(file), lines);
        }
    }

    /** A stream that keeps only the checksum of what is written to it. */
    static CheckedOutputStream sink() {
        return new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32());
    }

    /** A new directory that is removed when the JVM ends. */
    static Path scratch() throws IOException {
        Path directory = Files.createTempDirectory("assay-workload-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        return directory;
    }

    /** Checksum of the names and contents of all files under a directory. */
    static long checksum(Path directory) throws IOException {
        CRC32 crc = new CRC32();
        for (Path path : walk(directory)) {
            crc.update(directory.relativize(path).toString().getBytes());
            if (Files.isRegularFile(path)) {
                crc.update(Files.readAllBytes(path));
            }
        }
        return crc.getValue();
    }

    private static List<Path> walk(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.sorted().collect(Collectors.toList());
        }
    }

    private static void delete(Path directory) {
        try {
            List<Path> paths = walk(directory);
            paths.sort(Comparator.reverseOrder());
            for (Path path : paths) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
