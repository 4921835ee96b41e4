import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares the pairs in a trace (method.csv, frame.csv, context.csv, object.csv and pair.csv, from `assay dump`) with
 * those in `model`: both paths, the object, the loop and the counts. Prints those that differ, at most as many as the
 * argument says.
 */
public final class Compare {
    private static final long[] NONE = {0, 0};

    private final List<String> methods = new ArrayList<>(); // null: not generated
    private final List<String> names = new ArrayList<>(); // of methods, generated or not
    private final List<String> objects = new ArrayList<>();
    private final List<int[]> frames = new ArrayList<>(); // method, line
    private final List<int[]> contexts = new ArrayList<>(); // parent, frame
    private final List<String> paths = new ArrayList<>(); // of contexts; "": not generated
    private final Map<String, long[]> got = new TreeMap<>();

    private Compare() {
    }

    private interface Row {
        void read(String[] fields);
    }

    private static void readAll(String file, Row row) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(Path.of(file))) {
            in.readLine();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                row.read(line.split(","));
            }
        }
    }

    private static <T> void set(List<T> all, int index, T value) {
        while (all.size() <= index) {
            all.add(null);
        }
        all.set(index, value);
    }

    private void read() throws IOException {
        readAll("method.csv", row -> set(methods, number(row[1]), row[2].matches("g[0-9]+[.][pq][.].*") ? row[2] + "." + row[3] : null));
        readAll("frame.csv", row -> set(frames, number(row[1]), new int[] {number(row[2]), number(row[3])}));
        readAll("context.csv", row -> set(contexts, number(row[1]), new int[] {number(row[2]), number(row[3])}));
        readAll("method.csv", row -> set(names, number(row[1]), row[2] + "." + row[3]));
        readAll("object.csv", row -> set(objects, number(row[1]), object(row[2], contexts.get(number(row[4])))));
        readAll("pair.csv", row -> {
            String first = path(number(row[4])), second = path(number(row[5]));
            if (!first.isEmpty() && !second.isEmpty()) {
                String scope = number(row[6]) == 0 ? "" : path(number(row[6]));
                String object = number(row[7]) == 0 ? "" : objects.get(number(row[7]));
                String key = row[2] + "\t" + first + "\t" + second + "\t" + object + "\t" + scope;
                long[] counts = got.computeIfAbsent(key, fresh -> new long[2]);
                counts[0] += Long.parseLong(row[8]);
                counts[1] += Long.parseLong(row[9]);
            }
        });
    }

    /** A field, or the path to where something is allocated, and its type; empty if no generated code allocates it. */
    private String object(String kind, int[] context) {
        String name = names.get(frames.get(context[1])[0]), path = kind.equals("static") ? "" : path(context[0]);
        return kind.equals("static") ? name : path.isEmpty() ? "" : path + ">" + name;
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    /** From the first generated method on; empty if the last one is not generated. */
    private String path(int context) {
        String known = context < paths.size() ? paths.get(context) : null;
        if (known == null) {
            known = contexts.get(context) == null ? "" : makePath(contexts.get(context));
            set(paths, context, known);
        }
        return known;
    }

    private String makePath(int[] context) {
        int[] frame = frames.get(context[1]);
        String method = methods.get(frame[0]);
        if (method == null) {
            return "";
        }
        String above = path(context[0]);
        return (above.isEmpty() ? "" : above + ">") + method + ":" + frame[1];
    }

    private static String text(long[] counts) {
        return counts[0] + " (" + counts[1] + " wasted)";
    }

    private int compare(int most) throws IOException {
        Map<String, long[]> wanted = new HashMap<>();
        try (BufferedReader in = Files.newBufferedReader(Path.of("model"))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int events = line.lastIndexOf('\t', line.lastIndexOf('\t') - 1);
                String[] counts = line.substring(events + 1).split("\t");
                wanted.put(line.substring(0, events), new long[] {Long.parseLong(counts[0]), Long.parseLong(counts[1])});
            }
        }
        Set<String> keys = new HashSet<>(wanted.keySet());
        keys.addAll(got.keySet());
        List<String> differing = new ArrayList<>();
        Set<String> programs = new HashSet<>();
        long events = 0;
        for (String key : keys) {
            long[] model = wanted.getOrDefault(key, NONE), trace = got.getOrDefault(key, NONE);
            events += model[0];
            if (model[0] != trace[0] || model[1] != trace[1]) {
                differing.add(key + "\tmodel " + text(model) + ", trace " + text(trace));
                programs.add(key.substring(key.indexOf('\t') + 1, key.indexOf('.')));
            }
        }
        differing.sort((a, b) -> a.length() != b.length() ? a.length() - b.length() : a.compareTo(b));
        System.out.println(wanted.size() + " pairs of accesses, met " + events + " times; " + differing.size() + " counts differ, in "
            + programs.size() + " programs");
        differing.subList(0, Math.min(most, differing.size())).forEach(System.out::println);
        return differing.isEmpty() && !wanted.isEmpty() ? 0 : 1;
    }

    public static void main(String[] arguments) throws IOException {
        Compare all = new Compare();
        all.read();
        System.exit(all.compare(Integer.parseInt(arguments[0])));
    }
}
