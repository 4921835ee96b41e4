/**
 * Strides before and after a collection that compacts the heap by sliding: live objects keep their order, and the gaps
 * between them are closed. Collector: Serial. tests/victims/strides/strides.h describes the notation.
 *
 * A list of 2000 nodes of 24 bytes, allocated in order, has a stride of 24. Without every second node it has one of 48.
 * After a collection the remaining 1000 nodes follow each other.
 * EXPECT line=@built_value loop=@built_loop kind=inter stride=24 majority=0.99..1 executions=2000
 * EXPECT line=@built_next loop=@built_loop kind=inter stride=24 majority=0.99..1 executions=2000
 * EXPECT line=@halved_value loop=@halved_loop kind=inter stride=48 majority=0.99..1 executions=1000
 * EXPECT line=@halved_next loop=@halved_loop kind=inter stride=48 majority=0.99..1 executions=1000
 * EXPECT line=@moved_value loop=@moved_loop kind=inter stride=24 majority=0.99..1 executions=1000
 * EXPECT line=@moved_next loop=@moved_loop kind=inter stride=24 majority=0.99..1 executions=1000
 *
 * 1000 shuffled pairs, each of 16 bytes, with a box of 16 bytes that its constructor allocates, and with 24 bytes in between
 * that nobody keeps: from the field `box`, at 12, to the field `value` of the box, at 12, it is 16 + 24 bytes, and after
 * the collection 16.
 * EXPECT line=@fresh_box loop=@fresh_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@fresh_content loop=@fresh_loop kind=intra partner=@fresh_box stride=40 majority=0.97..1 executions=1000
 * EXPECT line=@kept_box loop=@kept_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@kept_content loop=@kept_loop kind=intra partner=@kept_box stride=16 majority=0.97..1 executions=1000
 */
public class Compacted {
    static final int COUNT = 1000;
    static Object dropped;

    static class Node {
        Node next;
        long value;

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static class Box {
        int value;

        Box(int value) {
            this.value = value;
        }
    }

    static class Pair {
        Box box;

        Pair(int value) {
            dropped = new Node(value, null);
            box = new Box(value);
        }
    }

    static long built(Node at) {
        long sum = 0;
        while (at != null) { // @built_loop
            sum += at.value; // @built_value
            at = at.next; // @built_next
        }
        return sum;
    }

    static long halved(Node at) {
        long sum = 0;
        while (at != null) { // @halved_loop
            sum += at.value; // @halved_value
            at = at.next; // @halved_next
        }
        return sum;
    }

    static long moved(Node at) {
        long sum = 0;
        while (at != null) { // @moved_loop
            sum += at.value; // @moved_value
            at = at.next; // @moved_next
        }
        return sum;
    }

    static long fresh(Pair[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @fresh_loop
            Pair pair = at[i];
            Box box = pair.box; // @fresh_box
            sum += box.value; // @fresh_content
        }
        return sum;
    }

    static long kept(Pair[] at) {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) { // @kept_loop
            Pair pair = at[i];
            Box box = pair.box; // @kept_box
            sum += box.value; // @kept_content
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Node first = new Node(0, null);
        Node last = first;
        for (int i = 1; i < 2 * COUNT; i++) {
            last.next = new Node(i, null);
            last = last.next;
        }
        Pair[] pairs = new Pair[COUNT];
        java.util.Random random = new java.util.Random(2003);
        for (int i = 0; i < COUNT; i++) {
            int other = random.nextInt(i + 1);
            pairs[i] = pairs[other];
            pairs[other] = new Pair(random.nextInt());
        }
        long sum = built(first) + fresh(pairs);
        for (Node node = first; node != null; node = node.next) {
            node.next = node.next.next;
        }
        sum += halved(first);
        dropped = null;
        System.gc();
        sum += moved(first) + kept(pairs);
        System.out.println(sum);
    }
}
