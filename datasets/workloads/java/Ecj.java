import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** Compiles a large generated class with the Eclipse compiler. */
public final class Ecj {
    public static void main(String[] args) throws Exception {
        String source = args[1];
        Path output = Harness.scratch();
        Harness.repeat("ecj", args[0], () -> compile(source, output));
    }

    private static long compile(String source, Path output) throws Exception {
        String[] options = {"-17", "-nowarn", "-proc:none", "-d", output.toString(), source};
        StringWriter messages = new StringWriter();
        PrintWriter log = new PrintWriter(messages);
        if (!BatchCompiler.compile(options, log, log, null)) {
            throw new IllegalStateException(messages.toString());
        }
        return Harness.checksum(output);
    }
}
