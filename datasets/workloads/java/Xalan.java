import java.io.File;
import java.util.zip.CheckedOutputStream;
import javax.xml.transform.Templates;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** Transforms a book into an HTML page with an index. */
public final class Xalan {
    public static void main(String[] args) throws Exception {
        File book = new File(args[1]);
        Templates style = new TransformerFactoryImpl().newTemplates(new StreamSource(new File(args[2])));
        Harness.repeat("xalan", args[0], () -> {
            CheckedOutputStream sink = Harness.sink();
            style.newTransformer().transform(new StreamSource(book), new StreamResult(sink));
            return sink.getChecksum().getValue();
        });
    }
}
