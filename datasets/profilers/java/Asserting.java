import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What slowed down bloat (Mytkowicz et al., PLDI 2010, section 7.3.2): an assertion that searches all values of a map, in
 * AbstractMap.containsValue(), whenever the graph of a method's blocks gets an edge. Each step makes such a graph and then
 * finds which blocks are reached from which.
 *
 * Asserting before|after STEPS: prints a sum, the same for both.
 */
public class Asserting {
    static final int BLOCKS = 256, EDGES = 8;

    /** As bloat's map of nodes, it has only the search that AbstractMap gives it. */
    static final class Nodes extends AbstractMap<Integer, long[]> {
        private final Map<Integer, long[]> all = new LinkedHashMap<>();

        @Override
        public long[] put(Integer key, long[] value) {
            return all.put(key, value);
        }

        @Override
        public long[] get(Object key) {
            return all.get(key);
        }

        @Override
        public Set<Entry<Integer, long[]>> entrySet() {
            return all.entrySet();
        }
    }

    static void addEdge(Nodes nodes, long[] from, int to, boolean asserts) {
        if (asserts && !nodes.containsValue(from))
            throw new AssertionError("the block is not in the graph");
        from[to >> 6] |= 1L << to;
    }

    static Nodes connect(int seed, boolean asserts) {
        Nodes nodes = new Nodes();
        for (int i = 0; i < BLOCKS; i++)
            nodes.put(i, new long[BLOCKS / 64]);
        int x = seed;
        for (int i = 0; i < BLOCKS * EDGES; i++) {
            x = x * 1664525 + 1013904223;
            addEdge(nodes, nodes.get(i % BLOCKS), x >>> 24, asserts);
        }
        return nodes;
    }

    /** Warshall's transitive closure, in rows of bits; returns how many pairs of blocks are connected. */
    static long reach(Nodes nodes) {
        long count = 0;
        for (int through = 0; through < BLOCKS; through++) {
            long[] more = nodes.get(through);
            for (int i = 0; i < BLOCKS; i++) {
                long[] row = nodes.get(i);
                if ((row[through >> 6] >> through & 1) != 0)
                    for (int k = 0; k < row.length; k++)
                        row[k] |= more[k];
            }
        }
        for (int i = 0; i < BLOCKS; i++)
            for (long bits : nodes.get(i))
                count += Long.bitCount(bits);
        return count;
    }

    public static void main(String[] args) {
        boolean asserts = args[0].equals("before");
        long sum = 0;
        for (int step = 0, steps = Integer.parseInt(args[1]); step < steps; step++)
            sum = sum * 31 + reach(connect(step, asserts));
        System.out.println(sum);
    }
}
