import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;

/** Indexes a corpus with Lucene, in one thread and in memory. */
public final class Luindex {
    public static void main(String[] args) throws Exception {
        List<Document> documents = Corpus.read(Path.of(args[1]));
        Harness.repeat("luindex", args[0], () -> {
            try (Directory index = Corpus.index(documents); DirectoryReader reader = DirectoryReader.open(index)) {
                return 31L * reader.getSumTotalTermFreq("text") + reader.docFreq(new Term("text", "kelo"));
            }
        });
    }
}
