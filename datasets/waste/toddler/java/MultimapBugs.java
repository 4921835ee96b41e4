import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** A bug of Guava's LinkedHashMultimap; Guava has fixed it, so here is a small class with the same cause. */
final class MultimapBugs {
    private MultimapBugs() {
    }

    /** The values of one key of a multimap, which are also in the set of all its entries. */
    private static final class LinkedValues {
        private final Set<Integer> entries = new LinkedHashSet<>(Bugs.multiples(2));
        private final Set<Integer> values = new LinkedHashSet<>(entries);

        void removeAll(Collection<Integer> removed) {
            values.removeAll(removed);
            entries.removeAll(new ArrayList<>(removed)); // a list as long as the set is searched for each of its elements
        }

        void removeEach(Collection<Integer> removed) {
            for (Integer value : removed) {
                values.remove(value);
                entries.remove(value);
            }
        }
    }

    static long removeAllFromMultimap(boolean fixed) {
        LinkedValues values = new LinkedValues();
        if (fixed) {
            values.removeEach(Bugs.multiples(3));
        } else {
            values.removeAll(Bugs.multiples(3));
        }
        return Bugs.checksum(values.entries);
    }
}
