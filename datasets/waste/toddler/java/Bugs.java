import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Performance bugs of collections, each as found and as fixed, with the same result. */
final class Bugs {
    /** Elements of a list that is searched, and of one that is searched for. */
    static final int SIZE = 600;

    private Bugs() {
    }

    /**
     * Bugs CLASS METHOD before|after STEPS: the method takes whether the bug is fixed, and returns a checksum. Bugs check
     * CLASS METHOD...: prints of each whether both forms return the same.
     */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("check")) {
            for (int i = 1; i < args.length; i += 2) {
                Method bug = method(args[i], args[i + 1]);
                boolean same = bug.invoke(null, false).equals(bug.invoke(null, true));
                System.out.println(args[i] + "." + args[i + 1] + (same ? " same" : " different"));
            }
            return;
        }
        Method bug = method(args[0], args[1]);
        boolean fixed = args[2].equals("after");
        Harness.repeat(args[0] + "." + args[1], args[3], () -> (Long) bug.invoke(null, fixed));
    }

    private static Method method(String type, String name) throws ReflectiveOperationException {
        return Class.forName(type).getDeclaredMethod(name, boolean.class);
    }

    /** Multiples of a number, SIZE of them, in order; each its own object. */
    static List<Integer> multiples(int number) {
        List<Integer> list = new ArrayList<>(SIZE);
        for (int i = 0; i < SIZE; i++) {
            list.add(1000 + i * number);
        }
        return list;
    }

    /** How often a collection has each element. */
    static Map<Object, Integer> counts(Collection<?> collection) {
        Map<Object, Integer> counts = new HashMap<>();
        for (Object element : collection) {
            counts.merge(element, 1, Integer::sum);
        }
        return counts;
    }

    /** What is left of a list when one equal element is removed from it for each one of another; the fix of two bugs. */
    static List<Object> difference(Collection<?> list, Collection<?> removed) {
        Map<Object, Integer> counts = counts(removed);
        List<Object> rest = new ArrayList<>();
        for (Object element : list) {
            int left = counts.getOrDefault(element, 0);
            if (left == 0) {
                rest.add(element);
            } else {
                counts.put(element, left - 1);
            }
        }
        return rest;
    }

    /** Depends on the elements and their order. */
    static long checksum(Collection<?> collection) {
        long sum = collection.size();
        for (Object element : collection) {
            sum = 31 * sum + element.hashCode();
        }
        return sum;
    }
}
