/** Works at the end of a recursion 3000 deep, and overflows its stack now and then. */
public class Deep {
    static volatile long sink;

    static long work() {
        long x = 1;
        for (int i = 0; i < 2_000_000; i++) x = x * 31 + i;
        return x;
    }

    static long down(int depth) {
        return depth == 0 ? work() : down(depth - 1) + 1;
    }

    static long forever(long x) {
        return forever(x + 1) + 1;
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            sink = down(3000);
            try {
                sink = forever(0);
            } catch (StackOverflowError full) {
                sink++;
            }
        }
        System.out.println("done");
    }
}
