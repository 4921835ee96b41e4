import java.io.File;
import java.io.OutputStream;
import java.util.Date;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.commons.io.output.CountingOutputStream;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.FopFactory;
import org.apache.fop.apps.MimeConstants;

/**
 * Typesets a book as PDF via XSL formatting objects; the checksum covers sizes, because a PDF contains a random number.
 */
public final class Fop {
    public static void main(String[] args) throws Exception {
        System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
        File book = new File(args[1]);
        Templates style = TransformerFactory.newInstance().newTemplates(new StreamSource(new File(args[2])));
        FopFactory factory = FopFactory.newInstance(book.getParentFile().toURI());
        Harness.repeat("fop", args[0], () -> set(book, style.newTransformer(), factory));
    }

    private static long set(File book, Transformer style, FopFactory factory) throws Exception {
        FOUserAgent agent = factory.newFOUserAgent();
        agent.setCreationDate(new Date(0));
        CountingOutputStream sink = new CountingOutputStream(OutputStream.nullOutputStream());
        org.apache.fop.apps.Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, sink);
        style.transform(new StreamSource(book), new SAXResult(fop.getDefaultHandler()));
        return 1000 * sink.getByteCount() + fop.getResults().getPageCount();
    }
}
