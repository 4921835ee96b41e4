import java.util.ArrayList;

/** Allocates for so many milliseconds, with enough survivors to keep any collector busy. */
public class Collect {
    static ArrayList<Object> kept = new ArrayList<>();
    static int made;

    static void allocate() {
        Object[] list = null;
        for (int i = 0; i < 1000; i++) list = new Object[] {list, new byte[64]};
        if (kept.size() < 300) kept.add(list);
        else kept.set(made % 300, list);
        made++;
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
        while (System.nanoTime() < end) allocate();
        System.out.println("done");
    }
}
