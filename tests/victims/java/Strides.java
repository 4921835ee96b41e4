import java.util.Random;

/**
 * Loops whose loads have strides that are derived on paper, one load per line. tests/victims/strides/strides.h describes the
 * notation. In a JVM with compressed references an element of an array of references has 4 bytes; an object begins with
 * 12 bytes, an array with 16; each takes a multiple of 8 bytes; and what a thread allocates follows what it has allocated
 * before, except where it gets a new buffer.
 *
 * An array of 1000 numbers of 8 bytes in order, backwards, and every seventh.
 * EXPECT line=@in_order loop=@in_order_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@backwards loop=@backwards_loop kind=inter stride=-8 majority=1..1 executions=1000
 * EXPECT line=@seventh loop=@seventh_loop kind=inter stride=56 majority=1..1 executions=143
 *
 * 1000 objects of 32 bytes, allocated in order: the array that leads to them has a stride, and so have their fields.
 * EXPECT line=@body loop=@body_loop kind=inter stride=4 majority=1..1 executions=1000
 * EXPECT line=@mass loop=@body_loop kind=inter stride=32 majority=0.99..1 executions=1000
 * EXPECT line=@speed loop=@body_loop kind=inter stride=32 majority=0.99..1 executions=1000
 *
 * 64 rows of 64 numbers, by column: the rows are arrays of 16 + 512 bytes. One of 64 strides leads back to the first row.
 * EXPECT line=@row loop=@by_column_loop kind=inter stride=4 majority=0.98..1 executions=4096
 * EXPECT line=@by_column loop=@by_column_loop kind=inter stride=528 majority=0.95..1 executions=4096
 *
 * A field of the same object, and a static field: stride 0.
 * EXPECT line=@field loop=@invariant_loop kind=none stride=0 majority=1..1 executions=1000
 * EXPECT line=@static_field loop=@invariant_loop kind=none stride=0 majority=1..1 executions=1000
 *
 * numbers[index[i]], where index is a permutation of 4-byte numbers.
 * EXPECT line=@index loop=@indirect_loop kind=inter stride=4 majority=1..1 executions=1000
 * EXPECT line=@picked loop=@indirect_loop kind=indirect partner=@index executions=1000
 *
 * Lists of 1000 nodes of 24 bytes: in the order of their allocation, against it, and shuffled.
 * EXPECT line=@value loop=@ordered_loop kind=inter stride=24 majority=0.99..1 executions=1000
 * EXPECT line=@next loop=@ordered_loop kind=inter stride=24 majority=0.99..1 executions=1000
 * EXPECT line=@reversed_value loop=@reversed_loop kind=inter stride=-24 majority=0.99..1 executions=1000
 * EXPECT line=@reversed_next loop=@reversed_loop kind=inter stride=-24 majority=0.99..1 executions=1000
 * EXPECT line=@shuffled_value loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@shuffled_next loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 *
 * 1000 records of 24 bytes, each with a detail of 32 bytes, which its constructor allocates, and this one's constructor a
 * text, an array. The field `detail` is at 16; in the detail `count` is at 16, `text` at 24; element 0 of the text at 16.
 * The records are shuffled: from `detail` to `count` it is 24 + 16 - 16 bytes, to `text` 24 + 24 - 16, and from there to the
 * first element 32 + 16 - 24.
 * EXPECT line=@record loop=@records_loop kind=inter stride=4 majority=1..1 executions=1000
 * EXPECT line=@key loop=@records_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@detail loop=@records_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@count loop=@records_loop kind=intra partner=@detail stride=24 majority=0.97..1 executions=1000
 * EXPECT line=@text loop=@records_loop kind=intra partner=@detail stride=32 majority=0.97..1 executions=1000
 * EXPECT line=@first loop=@records_loop kind=intra partner=@text stride=24 majority=0.97..1 executions=1000
 *
 * A hash table of 256 chains with 1000 shuffled entries, where random keys are looked up, and a binary tree whose 1000 nodes
 * were inserted in random order, from first to last.
 * EXPECT line=@head loop=@lookup_loop kind=none majority=0..0.05 executions=2000
 * EXPECT line=@entry_key kind=none
 * EXPECT line=@entry_next kind=none
 * EXPECT line=@tree_key loop=@tree_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@tree_right loop=@tree_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@tree_left kind=none
 * EXPECT line=@tree_parent kind=none
 *
 * Of 400 strides 320, 300 or 240 are 8 bytes, the others 16.
 * EXPECT line=@four_of_five loop=@four_of_five_loop kind=inter stride=8 majority=0.8..0.8 executions=401
 * EXPECT line=@three_of_four loop=@three_of_four_loop kind=none majority=0.75..0.75 executions=401
 * EXPECT line=@three_of_five loop=@three_of_five_loop kind=none majority=0.6..0.6 executions=401
 *
 * Phases: 400 strides of 8 bytes, then 400 of 64.
 * EXPECT line=@phases loop=@phases_loop kind=none majority=0.5..0.5 executions=801
 *
 * Inner loops of three iterations, to be seen in the loop around them: 64 bytes of a group, and shuffled tokens of 24 bytes
 * with arrays of facts, allocated together. The field `facts` is at 16; the first fact at 24 + 16.
 * EXPECT line=@member loop=@groups_loop kind=inter stride=64
 * EXPECT line=@token loop=@tokens_loop kind=inter stride=4 majority=1..1 executions=1000
 * EXPECT line=@facts loop=@tokens_loop kind=none
 * EXPECT line=@fact loop=@tokens_loop kind=intra partner=@facts stride=24
 */
public class Strides {
    static final int COUNT = 1000;
    static final int ROWS = 64;
    static final int HEADS = 256;
    static final int LOOKUPS = 2000;
    static long constant = 3;

    static class Body {
        int mass;
        long position;
        long speed;

        Body(int mass) {
            this.mass = mass;
            speed = mass;
        }
    }

    static class Node {
        Node next;
        long value;

        Node(long value) {
            this.value = value;
        }
    }

    static class Text {
        static int[] of(int key) {
            return new int[] {key, key + 1, key + 2, key + 3};
        }
    }

    static class Detail {
        int size = 4;
        long count;
        int[] text;

        Detail(int key) {
            count = key;
            text = Text.of(key);
        }
    }

    static class Record {
        int key;
        Detail detail;

        Record(int key) {
            this.key = key;
            detail = new Detail(key);
        }
    }

    static class Entry {
        long key;
        Entry next;
    }

    static class Tree {
        Tree left;
        Tree right;
        Tree parent;
        long key;
    }

    static class Token {
        int size = 3;
        int[] facts = new int[5];
    }

    long field = 5;

    static long inOrder(long[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @in_order_loop
            sum += at[i]; // @in_order
        }
        return sum;
    }

    static long backwards(long[] at) {
        long sum = 0;
        for (int i = COUNT - 1; i >= 0; i--) { // @backwards_loop
            sum += at[i]; // @backwards
        }
        return sum;
    }

    static long seventh(long[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i += 7) { // @seventh_loop
            sum += at[i]; // @seventh
        }
        return sum;
    }

    static long bodies(Body[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @body_loop
            Body body = at[i]; // @body
            sum += body.mass; // @mass
            sum += body.speed; // @speed
        }
        return sum;
    }

    static long byColumn(long[][] at) {
        long sum = 0;
        for (int c = 0; c < ROWS; c++) {
            for (int r = 0; r < ROWS; r++) { // @by_column_loop
                long[] row = at[r]; // @row
                sum += row[c]; // @by_column
            }
        }
        return sum;
    }

    static long invariant(Strides at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @invariant_loop
            sum += at.field; // @field
            sum += constant; // @static_field
        }
        return sum;
    }

    static long indirect(long[] at, int[] which) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @indirect_loop
            int element = which[i]; // @index
            sum += at[element]; // @picked
        }
        return sum;
    }

    static long ordered(Node at) {
        long sum = 0;
        while (at != null) { // @ordered_loop
            sum += at.value; // @value
            at = at.next; // @next
        }
        return sum;
    }

    static long reversed(Node at) {
        long sum = 0;
        while (at != null) { // @reversed_loop
            sum += at.value; // @reversed_value
            at = at.next; // @reversed_next
        }
        return sum;
    }

    static long shuffled(Node at) {
        long sum = 0;
        while (at != null) { // @shuffled_loop
            sum += at.value; // @shuffled_value
            at = at.next; // @shuffled_next
        }
        return sum;
    }

    static long records(Record[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @records_loop
            Record record = at[i]; // @record
            sum += record.key; // @key
            Detail detail = record.detail; // @detail
            sum += detail.count; // @count
            int[] text = detail.text; // @text
            sum += text[0]; // @first
        }
        return sum;
    }

    static int hash(long key) {
        return (int) (key * 0x9e3779b97f4a7c15L >>> 56);
    }

    static long lookups(Entry[] heads, Random random) {
        long found = 0;
        for (int i = 0; i < LOOKUPS; i++) { // @lookup_loop
            long key = random.nextInt(2 * COUNT);
            Entry entry = heads[hash(key)]; // @head
            while (entry != null) {
                if (entry.key == key) { // @entry_key
                    found++;
                    break;
                }
                entry = entry.next; // @entry_next
            }
        }
        return found;
    }

    static long inOrder(Tree at) {
        long sum = 0;
        while (at != null) { // @tree_loop
            sum = 3 * sum + at.key; // @tree_key
            Tree below = at.right; // @tree_right
            if (below != null) {
                while (below != null) {
                    at = below;
                    below = at.left; // @tree_left
                }
            } else {
                Tree last;
                do {
                    last = at;
                    at = at.parent; // @tree_parent
                } while (at != null && at.right == last);
            }
        }
        return sum;
    }

    static long fourOfFive(long[] at) {
        long sum = 0;
        int element = 0;
        for (int i = 0; i < 401; i++) { // @four_of_five_loop
            sum += at[element]; // @four_of_five
            element += i % 5 < 4 ? 1 : 2;
        }
        return sum;
    }

    static long threeOfFour(long[] at) {
        long sum = 0;
        int element = 0;
        for (int i = 0; i < 401; i++) { // @three_of_four_loop
            sum += at[element]; // @three_of_four
            element += i % 4 < 3 ? 1 : 2;
        }
        return sum;
    }

    static long threeOfFive(long[] at) {
        long sum = 0;
        int element = 0;
        for (int i = 0; i < 401; i++) { // @three_of_five_loop
            sum += at[element]; // @three_of_five
            element += i % 5 < 3 ? 1 : 2;
        }
        return sum;
    }

    static long phases(long[] at) {
        long sum = 0;
        int element = 0;
        for (int i = 0; i < 801; i++) { // @phases_loop
            sum += at[element]; // @phases
            element += i < 400 ? 1 : 8;
        }
        return sum;
    }

    static long groups(long[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @groups_loop
            for (int j = 0; j < 3; j++) {
                sum += at[8 * i + j]; // @member
            }
        }
        return sum;
    }

    static long tokens(Token[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @tokens_loop
            Token token = at[i]; // @token
            for (int j = 0; j < 3; j++) {
                int[] facts = token.facts; // @facts
                sum += facts[j]; // @fact
            }
        }
        return sum;
    }

    /** A permutation of 0, 1, …, the same in each run. */
    static int[] permutation() {
        Random random = new Random(2003);
        int[] order = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    static Node link(Node[] nodes, int[] order) {
        for (int i = 0; i < COUNT; i++) {
            nodes[order[i]].next = i + 1 < COUNT ? nodes[order[i + 1]] : null;
        }
        return nodes[order[0]];
    }

    static Tree tree(int[] keys) {
        Tree root = null;
        for (int key : keys) {
            Tree node = new Tree();
            node.key = key;
            Tree at = root;
            while (at != null && node.parent == null) {
                Tree below = key < at.key ? at.left : at.right;
                if (below == null) {
                    node.parent = at;
                    if (key < at.key) {
                        at.left = node;
                    } else {
                        at.right = node;
                    }
                }
                at = below;
            }
            root = root == null ? node : root;
        }
        return root;
    }

    static Tree leftmost(Tree at) {
        while (at.left != null) {
            at = at.left;
        }
        return at;
    }

    static Entry[] table(int[] order) {
        Entry[] heads = new Entry[HEADS];
        Entry[] entries = new Entry[COUNT];
        for (int i = 0; i < COUNT; i++) {
            entries[i] = new Entry();
        }
        for (int i = 0; i < COUNT; i++) {
            Entry entry = entries[order[i]];
            entry.key = i;
            entry.next = heads[hash(i)];
            heads[hash(i)] = entry;
        }
        return heads;
    }

    public static void main(String[] arguments) {
        int[] order = permutation();
        int[] straight = new int[COUNT];
        int[] opposite = new int[COUNT];
        long[] numbers = new long[8 * COUNT];
        Body[] bodies = new Body[COUNT];
        Node[] nodes = new Node[COUNT];
        Record[] records = new Record[COUNT];
        Token[] tokens = new Token[COUNT];
        Random random = new Random(7);
        for (int i = 0; i < COUNT; i++) {
            straight[i] = i;
            opposite[i] = COUNT - 1 - i;
            numbers[i] = i;
        }
        for (int i = 0; i < COUNT; i++) {
            bodies[i] = new Body(i);
        }
        for (int i = 0; i < COUNT; i++) {
            nodes[i] = new Node(random.nextInt());
        }
        for (int i = 0; i < COUNT; i++) {
            records[order[i]] = new Record(random.nextInt());
        }
        for (int i = 0; i < COUNT; i++) {
            tokens[order[i]] = new Token();
        }
        long sum = inOrder(numbers) + backwards(numbers) + seventh(numbers) + bodies(bodies)
            + byColumn(new long[ROWS][ROWS]) + invariant(new Strides()) + indirect(numbers, order);
        sum += ordered(link(nodes, straight));
        sum += reversed(link(nodes, opposite));
        sum += shuffled(link(nodes, order));
        sum += records(records) + lookups(table(order), random) + inOrder(leftmost(tree(order)));
        sum += fourOfFive(numbers) + threeOfFour(numbers) + threeOfFive(numbers) + phases(numbers);
        sum += groups(numbers) + tokens(tokens);
        System.out.println(sum);
    }
}
