import java.util.concurrent.SynchronousQueue;

/**
 * Two threads take turns with an array, a field and a static field. Arguments: "join" (each turn of the other thread is a
 * thread of its own, which has ended when main goes on) or "hand" (one thread, which waits), and how many milliseconds main
 * waits after the first turn.
 */
public class Between {
    private static int count;
    private int field;

    private static void first(int[] a, Between o) {
        for (int i = 0; i < a.length; i++) {
            a[i] = 1;
        }
        o.field = 1;
        count = 1;
    }

    private static void over(int[] a, Between o) {
        for (int i = 0; i < a.length; i++) {
            a[i] = 2;
        }
        o.field = 2;
        count = 2;
    }

    private static void same(int[] a, Between o) {
        for (int i = 0; i < a.length; i++) {
            a[i] = 2;
        }
        o.field = 2;
        count = 2;
    }

    private static int look(int[] a, Between o) {
        int sum = o.field + count;
        for (int i = 0; i < a.length; i++) {
            sum += a[i];
        }
        return sum;
    }

    private static int again(int[] a, Between o) {
        int sum = o.field + count;
        for (int i = 0; i < a.length; i++) {
            sum += a[i];
        }
        return sum;
    }

    private static void change(int[] a) {
        for (int i = 0; i < a.length / 2; i++) {
            a[i] = 3;
        }
    }

    private static int changed(int[] a) {
        int sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i];
        }
        return sum;
    }

    private static void turn(int number, int[] a, Between o) {
        switch (number) {
        case 1:
            first(a, o);
            break;
        case 3:
            same(a, o);
            break;
        default:
            again(a, o);
            change(a);
            break;
        }
    }

    private interface Other {
        void turn(int number) throws InterruptedException;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int[] a = new int[100];
        Between o = new Between();
        SynchronousQueue<Integer> turns = new SynchronousQueue<>(), done = new SynchronousQueue<>();
        Thread waiting = new Thread(() -> {
            try {
                for (int number; (number = turns.take()) > 0; ) {
                    turn(number, a, o);
                    done.put(number);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "other");
        waiting.start();
        Other other = arguments[0].equals("join") ? number -> {
            Thread one = new Thread(() -> turn(number, a, o), "other");
            one.start();
            one.join();
        } : number -> {
            turns.put(number);
            done.take();
        };
        other.turn(1);
        Thread.sleep(Integer.parseInt(arguments[1]));
        over(a, o);
        other.turn(3);
        int sum = look(a, o);
        other.turn(5);
        System.out.println(sum + changed(a) + changed(a));
        turns.put(0);
        waiting.join();
    }
}
