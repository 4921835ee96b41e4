import java.io.File;
import java.nio.file.Path;
import org.sablecc.sablecc.SableCC;

/** Generates a compiler front end from a grammar with SableCC. */
public final class Sablecc {
    public static void main(String[] args) throws Exception {
        File grammar = new File(args[1]);
        Path output = Harness.scratch();
        Harness.repeat("sablecc", args[0], () -> {
            SableCC.processGrammar(grammar, output.toFile());
            return Harness.checksum(output);
        });
    }
}
