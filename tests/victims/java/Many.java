/** 64 threads, in each of which an exception leaves 100 calls of `deep`, to be caught in `run`. */
public final class Many {
    static void deep(int n) {
        if (n == 1) {
            throw new IllegalStateException();
        }
        deep(n - 1);
    }

    static void run() {
        try {
            deep(100);
        } catch (IllegalStateException e) {
            Thread.yield();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[64];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(Many::run);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Large.below(1);
        Large.above(1);
    }
}
