import java.util.ArrayList;

/** Allocates 2000 arrays this many times, of which enough survive to keep any collector busy. */
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
        for (int rounds = Integer.parseInt(arguments[0]); rounds > 0; rounds--) allocate();
        System.out.println("done");
    }
}
