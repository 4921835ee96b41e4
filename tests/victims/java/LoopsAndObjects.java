/** For tests/rewrite/loops_and_objects.t, which knows its lines: which loop iterates between loads, and where objects come from. */
public class LoopsAndObjects {
    static int sink;

    static class Base {
        int value;

        Base(int value) {
            this.value = value;
        }
    }

    static class Derived extends Base {
        int more;

        Derived() {
            this(7);
        }

        Derived(int value) {
            super(value);
            more = value;
        }
    }

    // ---- loops: each method has one load of an element ----

    static void inner(int[] a) {
        for (int i = 0; i < 10; i++)
            sink += a[0]; // 10 loads, a pair each time: 9
    }

    static void outer(int[] a) {
        for (int r = 0; r < 5; r++) // iterates between two loads of the same element
            for (int i = 0; i < 10; i++)
                sink += a[i];
    }

    static void whileLoop(int[] a) {
        int i = 0;
        while (i < 10) {
            sink += a[0];
            i++;
        }
    }

    static void doLoop(int[] a) {
        int i = 0;
        do {
            sink += a[0];
            i++;
        } while (i < 10);
    }

    static void endless(int[] a) {
        for (int i = 0;; i++) {
            sink += a[0];
            if (i == 9)
                break;
        }
    }

    static void labelled(int[] a) {
        next:
        for (int r = 0; r < 5; r++) // the inner loop goes on here
            for (int i = 0;; i++) {
                sink += a[i];
                if (i == 9)
                    continue next;
            }
    }

    static void caught(int[] a) {
        for (int i = 0; i < 10; i++) { // goes on in the handler
            try {
                sink += a[0];
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    static int load(int[] a) {
        return a[0];
    }

    static void caller(int[] a) {
        for (int i = 0; i < 10; i++) // around the call
            sink += load(a);
    }

    static void twice(int[] a) { // no loop
        sink += load(a);
        sink += load(a);
    }

    static int deep(int[] a, int depth) {
        int sum = 0;
        for (int i = 0; i < 2; i++) // not the outermost one
            sum += depth == 0 ? a[i] : deep(a, depth - 1);
        return sum;
    }

    static void recursion(int[] a) {
        for (int r = 0; r < 3; r++)
            sink += deep(a, 1);
    }

    static void switched(int[] a) {
        for (int i = 0; i < 10; i++) { // the cases go on here
            switch (i % 3) {
            case 0:
                sink += a[0];
                continue;
            case 1:
                sink += 1;
                break;
            default:
                sink += 2;
            }
        }
    }

    // ---- objects: two loads of the same value from each ----

    static int twice(Base o) {
        return o.value + o.value;
    }

    static Base here() {
        return new Base(1);
    }

    static void objects() throws Exception {
        sink += twice(new Base(3));
        sink += twice(new Derived());
        for (int i = 0; i < 10; i++)
            sink += twice(here());
        sink += twice(Base.class.getDeclaredConstructor(int.class).newInstance(4));
        Derived derived = new Derived();
        sink += derived.more + derived.more;
    }


    static void arrays() {
        int[] one = new int[4];
        sink += two(one);
        sink += two(one.clone());
        int[][] many = new int[3][4];
        for (int[] each : many)
            sink += two(each);
    }

    static int two(int[] a) {
        return a[0] + a[0];
    }

    static void threads() throws InterruptedException {
        Base[] made = new Base[1];
        Thread other = new Thread(() -> made[0] = new Base(5));
        other.start();
        other.join();
        sink += twice(made[0]);
    }

    static class Copied implements Cloneable {
        int value = 9;

        Copied copy() throws CloneNotSupportedException {
            return (Copied) clone();
        }
    }

    static class Further extends Copied {
        int more = 8;

        @Override
        public Further clone() throws CloneNotSupportedException {
            Further made = (Further) super.clone();
            sink += made.more;
            return made;
        }
    }

    static void copies() throws CloneNotSupportedException { // what is known of an original is not known of its copy
        Copied one = new Copied();
        sink += one.value + one.value;
        Copied two = one.copy();
        sink += two.value + two.value;
        Further further = new Further();
        sink += further.more + further.value;
        Further three = further.clone();
        sink += three.more + three.value; // `clone` has loaded `more` before
        Further four = three.clone();
        sink += four.more + four.value;
    }

    public static void main(String[] args) throws Exception {
        inner(new int[10]);
        outer(new int[10]);
        whileLoop(new int[10]);
        doLoop(new int[10]);
        endless(new int[10]);
        labelled(new int[10]);
        caught(new int[10]);
        caller(new int[10]);
        twice(new int[10]);
        recursion(new int[10]);
        switched(new int[10]);
        objects();
        arrays();
        threads();
        copies();
        System.out.println(sink);
    }
}
