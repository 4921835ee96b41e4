import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
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

    /** Runs the iteration as often as {@code count} says; what the program prints meanwhile is thrown away. */
    static void repeat(String name, String count, Iteration iteration) throws Exception {
        int n = Integer.parseInt(count);
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        long checksum = iteration.run();
        for (int i = 2; i <= n; i++) {
            long again = iteration.run();
            if (again != checksum) {
                throw new IllegalStateException(String.format("iteration %d gave %08x, not %08x", i, again, checksum));
            }
        }
        out.printf("%s: %d iterations, checksum %08x%n", name, n, checksum);
    }

    /** A stream that keeps nothing but the checksum of what it is given. */
    static CheckedOutputStream sink() {
        return new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32());
    }

    /** A new directory that goes away with the JVM. */
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
