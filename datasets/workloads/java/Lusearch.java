import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;

/** Searches an index with Lucene from four threads at once; the search words come from the corpus itself. */
public final class Lusearch {
    private static final int THREADS = 4;

    public static void main(String[] args) throws Exception {
        List<Document> documents = Corpus.read(Path.of(args[1]));
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try (Directory index = Corpus.index(documents); DirectoryReader reader = DirectoryReader.open(index)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            searcher.setQueryCache(null);
            Harness.repeat("lusearch", args[0], () -> searchAll(searcher, documents, pool));
        } finally {
            pool.shutdown();
        }
    }

    private static long searchAll(IndexSearcher searcher, List<Document> documents, ExecutorService pool) throws Exception {
        List<Callable<Long>> parts = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int part = i;
            parts.add(() -> searchPart(searcher, documents, part));
        }
        long sum = 0;
        for (Future<Long> part : pool.invokeAll(parts)) {
            sum += part.get();
        }
        return sum;
    }

    private static long searchPart(IndexSearcher searcher, List<Document> documents, int part) throws IOException {
        long sum = 0;
        for (int i = part; i < documents.size(); i += 16 * THREADS) {
            String[] words = documents.get(i).get("title").split(" ");
            sum += search(searcher, term(words[0]));
            sum += search(searcher, both(words[1], words[2]));
            sum += search(searcher, new PhraseQuery("text", words[2], words[3]));
            sum += search(searcher, new PrefixQuery(new Term("text", words[3])));
        }
        return sum;
    }

    private static long search(IndexSearcher searcher, Query query) throws IOException {
        long sum = searcher.count(query);
        for (ScoreDoc hit : searcher.search(query, 10).scoreDocs) {
            sum += searcher.doc(hit.doc).get("number").length();
        }
        return sum;
    }

    private static Query term(String word) {
        return new TermQuery(new Term("text", word));
    }

    private static Query both(String first, String second) {
        return new BooleanQuery.Builder().add(term(first), Occur.MUST).add(term(second), Occur.SHOULD).build();
    }
}
