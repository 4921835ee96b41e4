import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How many members the union of any two neighbouring sets in a list has. */
final class Union implements Case {
    private final List<Set<Integer>> sets = new ArrayList<>();

    Union() {
        for (int i = 0; i < 400; i++) {
            Set<Integer> set = new HashSet<>();
            for (int k = 0; k < 60 + i % 7 * 20; k++) {
                set.add((i * 37 + k * k) % 1000);
            }
            sets.add(set);
        }
    }

    @Override
    public long before() {
        long sum = 0;
        for (int i = 1; i < sets.size(); i++) {
            Set<Integer> union = new HashSet<>();
            union.addAll(sets.get(i - 1));
            union.addAll(sets.get(i));
            sum += union.size();
        }
        return sum;
    }

    @Override
    public long after() {
        long sum = 0;
        for (int i = 1; i < sets.size(); i++) {
            sum += sizeOfUnion(sets.get(i - 1), sets.get(i));
        }
        return sum;
    }

    private static int sizeOfUnion(Set<Integer> a, Set<Integer> b) {
        Set<Integer> larger = a.size() < b.size() ? b : a;
        int size = larger.size();
        for (Integer member : larger == a ? b : a) {
            if (!larger.contains(member)) {
                size++;
            }
        }
        return size;
    }
}
