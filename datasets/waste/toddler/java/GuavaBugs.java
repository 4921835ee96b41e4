import com.google.common.collect.HashBasedTable;
import com.google.common.collect.Iterators;
import com.google.common.collect.Sets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Bugs of Guava, in the library itself: 31.1. */
final class GuavaBugs {
    private GuavaBugs() {
    }

    static long removeAllFromSetOfMap(boolean fixed) {
        Set<Integer> set = Sets.newSetFromMap(new HashMap<>());
        set.addAll(Bugs.multiples(2));
        List<Integer> removed = Bugs.multiples(3);
        if (fixed) {
            for (Integer element : removed) {
                set.remove(element);
            }
        } else {
            set.removeAll(removed);
        }
        return Bugs.checksum(set);
    }

    static long containsAllOfTable(boolean fixed) {
        HashBasedTable<Integer, Integer, Integer> table = HashBasedTable.create();
        for (Integer value : Bugs.multiples(2)) {
            table.put(value % 20, value, value);
        }
        Collection<Integer> values = fixed ? new HashSet<>(table.values()) : table.values();
        return values.containsAll(Bugs.multiples(2)) ? 1 : 0;
    }

    static long removeAllByIterator(boolean fixed) {
        Collection<Integer> from = new LinkedHashSet<>(Bugs.multiples(2));
        List<Integer> removed = Bugs.multiples(3);
        Iterators.removeAll(from.iterator(), fixed ? new HashSet<>(removed) : removed);
        return Bugs.checksum(from);
    }
}
