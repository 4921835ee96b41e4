import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;

/** Bugs of Groovy's runtime; Groovy has fixed them, so here are small classes with the same causes. */
final class GroovyBugs {
    private GroovyBugs() {
    }

    private static boolean removeItems(Collection<Integer> from, Integer[] items) {
        return from.removeAll(Arrays.asList(items));
    }

    private static boolean retainItems(Collection<Integer> of, Integer[] items) {
        return of.retainAll(Arrays.asList(items));
    }

    static long removeAllItems(boolean fixed) {
        List<Integer> list = Bugs.multiples(2);
        Integer[] items = Bugs.multiples(3).toArray(new Integer[0]);
        boolean changed = fixed ? list.removeAll(new TreeSet<>(Arrays.asList(items))) : removeItems(list, items);
        return Bugs.checksum(list) + (changed ? 1 : 0);
    }

    static long retainAllItems(boolean fixed) {
        List<Integer> list = Bugs.multiples(2);
        Integer[] items = Bugs.multiples(3).toArray(new Integer[0]);
        boolean changed = fixed ? list.retainAll(new TreeSet<>(Arrays.asList(items))) : retainItems(list, items);
        return Bugs.checksum(list) + (changed ? 1 : 0);
    }

    /** A collection that keeps a list of the elements that a change has removed, for its observers. */
    private static final class Observed {
        private final Collection<Integer> delegate;
        private final List<Object> removed = new ArrayList<>();

        Observed(Collection<Integer> delegate) {
            this.delegate = delegate;
        }

        boolean removeAll(Collection<?> elements) {
            for (Object element : elements) {
                if (delegate.contains(element)) {
                    removed.add(element);
                }
            }
            return delegate.removeAll(elements);
        }

        boolean retainAll(Collection<?> wanted) {
            for (Integer element : delegate) {
                if (!wanted.contains(element)) {
                    removed.add(element);
                }
            }
            return delegate.retainAll(wanted);
        }

        /** Searches a set instead of the list. */
        boolean removeAllBySet(Collection<?> elements) {
            Collection<?> own = new HashSet<>(delegate);
            for (Object element : elements) {
                if (own.contains(element)) {
                    removed.add(element);
                }
            }
            return delegate.removeAll(new HashSet<>(elements));
        }

        long checksum() {
            return Bugs.checksum(delegate) + 7 * Bugs.checksum(removed);
        }
    }

    static long removeAllFromObservableList(boolean fixed) {
        Observed list = new Observed(Bugs.multiples(2));
        if (fixed) {
            list.removeAllBySet(Bugs.multiples(3));
        } else {
            list.removeAll(Bugs.multiples(3));
        }
        return list.checksum();
    }

    static long retainAllOfObservableList(boolean fixed) {
        Observed list = new Observed(Bugs.multiples(2));
        List<Integer> wanted = Bugs.multiples(3);
        list.retainAll(fixed ? new HashSet<>(wanted) : wanted);
        return list.checksum();
    }

    static long retainAllOfObservableSet(boolean fixed) {
        Observed set = new Observed(new LinkedHashSet<>(Bugs.multiples(2)));
        List<Integer> wanted = Bugs.multiples(3);
        set.retainAll(fixed ? new HashSet<>(wanted) : wanted);
        return set.checksum();
    }
}
