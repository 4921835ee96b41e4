import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;

/** Keeps the elements of a list that another collection has, too. */
final class Contains implements Case {
    private final List<Integer> list = new ArrayList<>();
    private final List<Integer> wanted = new ArrayList<>();

    Contains() {
        for (int i = 0; i < 3000; i++) {
            list.add(i * 7 % 3001);
        }
        for (int i = 0; i < 1000; i++) {
            wanted.add(i * 11 % 3001);
        }
    }

    @Override
    public long before() {
        return retained(wanted);
    }

    @Override
    public long after() {
        return retained(new HashSet<>(wanted));
    }

    private long retained(Collection<Integer> others) {
        long sum = 0;
        for (Integer element : list) {
            if (others.contains(element)) {
                sum = 31 * sum + element;
            }
        }
        return sum;
    }
}
