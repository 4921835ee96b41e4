import java.util.HashMap;
import java.util.Map;

/**
 * What slowed down pmd (Mytkowicz et al., PLDI 2010, section 7.3.1): a HashMap that begins with 16 buckets and gets tens of
 * thousands of entries, so that it moves all that it has into a table of twice the size, again and again. Each step parses a
 * file of expressions, notes the first operand of each node, and evaluates the nodes.
 *
 * Growing before|after STEPS: prints a sum, the same for both.
 */
public class Growing {
    /* With a load factor of 0.75 the last move is at 49,152 entries. The paper's authors reserved 100,000, too. */
    static final int NODES = 50_000, RESERVED = 100_000;

    static final class Node {
        final int position, operator, left, right;

        Node(int position, int operator, int left, int right) {
            this.position = position;
            this.operator = operator;
            this.left = left;
            this.right = right;
        }

        @Override
        public int hashCode() {
            return position * 0x9E3779B9;
        }
    }

    static Node[] parse(int seed) {
        Node[] nodes = new Node[NODES];
        int x = seed;
        for (int i = 0; i < NODES; i++) {
            x = x * 1664525 + 1013904223;
            nodes[i] = new Node(i, x >>> 30, i == 0 ? 0 : (x >>> 1) % i, i == 0 ? 0 : (x >>> 8) % i);
        }
        return nodes;
    }

    static Map<Node, Node> operands(Node[] nodes, boolean reserved) {
        Map<Node, Node> operands = reserved ? new HashMap<>(RESERVED) : new HashMap<>();
        for (Node node : nodes)
            operands.put(node, nodes[node.left]);
        return operands;
    }

    static long evaluate(Node[] nodes) {
        long[] values = new long[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            Node node = nodes[i];
            long left = values[node.left], right = values[node.right];
            values[i] = switch (node.operator) {
                case 0 -> left + right + i;
                case 1 -> left - right;
                case 2 -> left * 31 + right;
                default -> left ^ right;
            };
        }
        return values[nodes.length - 1];
    }

    public static void main(String[] args) {
        boolean reserved = args[0].equals("after");
        long sum = 0;
        for (int step = 0, steps = Integer.parseInt(args[1]); step < steps; step++) {
            Node[] nodes = parse(step);
            Map<Node, Node> operands = operands(nodes, reserved);
            sum = sum * 31 + evaluate(nodes) + operands.get(nodes[step % NODES]).position;
        }
        System.out.println(sum);
    }
}
