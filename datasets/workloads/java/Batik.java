import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CheckedOutputStream;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.PNGTranscoder;

/** Rasterises an SVG drawing to PNG. */
public final class Batik {
    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[1]);
        String drawing = Files.readString(path);
        Harness.repeat("batik", args[0], () -> rasterise(drawing, path.toUri().toString()));
    }

    private static long rasterise(String drawing, String uri) throws Exception {
        TranscoderInput input = new TranscoderInput(new StringReader(drawing));
        input.setURI(uri);
        CheckedOutputStream sink = Harness.sink();
        new PNGTranscoder().transcode(input, new TranscoderOutput(sink));
        return sink.getChecksum().getValue();
    }
}
