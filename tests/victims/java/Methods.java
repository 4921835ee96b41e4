/**
 * Calls, an exception through a hundred frames, constructors that call others, a lambda, a stack overflow, a daemon in a
 * loop, and System.exit() in a thread. `Methods N`, with probes in methods of 50 bytes or with a loop:
 *   main 1 unfinished; loop N + 6 exits; thrower 10 * 100 by an exception; the constructors 7 and 7 exits;
 *   recurse at least 100, all by an exception; the lambdas 1 exit, 1 and 1 unfinished; bare has no probe.
 */
public class Methods {
    static volatile int sink;
    int value;

    Methods(int n) {
        this(n, 1);
        for (int i = 0; i < n; i++) {
            value += i;
        }
    }

    Methods(int n, int step) {
        super();
        for (int i = 0; i < n; i += step) {
            value += i;
        }
    }

    static int bare(int n) {
        return n + 1;
    }

    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += bare(i);
        }
        return sum;
    }

    static void thrower(int n) {
        for (int i = 0; i < 1; i++) {
            sink++;
        }
        if (n == 0) {
            throw new IllegalStateException("deep");
        }
        thrower(n - 1);
    }

    static int recurse(int n) {
        for (int i = 0; i < 1; i++) {
            sink++;
        }
        return recurse(n + 1) + 1;
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        for (int i = 0; i < n; i++) {
            sink += loop(3);
        }
        for (int i = 0; i < 10; i++) {
            try {
                thrower(99);
            } catch (IllegalStateException e) {
                sink++;
            }
        }
        for (int i = 0; i < 7; i++) {
            sink += new Methods(3).value;
        }
        try {
            recurse(0);
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        Thread thread = new Thread(() -> {
            for (int i = 0; i < 5; i++) {
                sink += loop(2);
            }
        });
        thread.start();
        thread.join();
        Thread daemon = new Thread(() -> {
            sink += loop(1);
            while (true) {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    sink++;
                }
            }
        });
        daemon.setDaemon(true);
        daemon.start();
        Thread.sleep(300);
        Thread last = new Thread(() -> {
            for (int i = 0; i < 1; i++) {
                System.exit(3);
            }
        });
        last.start();
        last.join();
    }
}
