import antlr.Tool;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Generates lexer, parser and tree walker from a grammar with ANTLR 2. The checksum leaves out digits: ANTLR continues
 * to number its labels from one iteration to the next.
 */
public final class Antlr {
    public static void main(String[] args) throws Exception {
        String grammar = args[1];
        Path output = Harness.scratch();
        Harness.repeat("antlr", args[0], () -> generate(grammar, output));
    }

    private static long generate(String grammar, Path output) throws Exception {
        int failed = new Tool().doEverything(new String[] {"-o", output.toString(), grammar});
        if (failed != 0) {
            throw new IllegalStateException(grammar + ": ANTLR reports an error");
        }
        return measure(output);
    }

    private static long measure(Path output) throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(output)) {
            for (Path file : files) {
                for (byte b : Files.readAllBytes(file)) {
                    sum += b < '0' || b > '9' ? b : 0;
                }
            }
        }
        return sum;
    }
}
