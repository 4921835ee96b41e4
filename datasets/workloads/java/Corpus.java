import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** The corpus as Lucene documents, and the index of them in memory. */
final class Corpus {
    private Corpus() {
    }

    static List<Document> read(Path file) throws IOException {
        List<Document> documents = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] field = line.split("\t");
            Document document = new Document();
            document.add(new StringField("number", field[0], Field.Store.YES));
            document.add(new TextField("title", field[1], Field.Store.YES));
            document.add(new TextField("text", field[2], Field.Store.NO));
            documents.add(document);
        }
        return documents;
    }

    static Directory index(List<Document> documents) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        config.setMaxBufferedDocs(500);
        Directory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (Document document : documents) {
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
        return directory;
    }
}
