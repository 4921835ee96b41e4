/** For methods.bench: makes N calls, after as many for warm-up, and prints ns per call. */
final class BriefCalls {
    private static int sink;

    private static void leaf(int i) {
        for (int j = 0; j < 1; j++) {
            sink ^= i;
        }
    }

    private static void run(int n) {
        for (int i = 0; i < n; i++) {
            leaf(i);
        }
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]);
        long begin = 0;
        for (int round = 0; round < 20; round++) {
            if (round == 10) {
                begin = System.nanoTime();
            }
            run(n / 10);
        }
        System.out.printf("%.2f%n", (System.nanoTime() - begin) / (double) (n / 10 * 10));
    }
}
