import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.Vector;

/** Bugs of Apache Ant's own collections; Ant has fixed them, so here are small classes with the same causes. */
final class AntBugs {
    private AntBugs() {
    }

    /** A list without duplicates, which finds them with a set. */
    private static final class UniqueVector extends Vector<Integer> {
        private final Set<Integer> set = new HashSet<>();

        UniqueVector(Collection<Integer> elements) {
            addAll(0, elements);
        }

        @Override
        public synchronized boolean addAll(int index, Collection<? extends Integer> elements) {
            int at = index;
            for (Integer element : elements) {
                if (set.add(element)) {
                    super.add(at++, element); // moves all that follows, each time
                }
            }
            return at > index;
        }

        boolean addAllAtOnce(int index, Collection<Integer> elements) {
            Set<Integer> added = new LinkedHashSet<>(elements);
            added.removeIf(element -> !set.add(element));
            return super.addAll(index, added);
        }

        @Override
        public synchronized boolean retainAll(Collection<?> wanted) {
            return super.retainAll(wanted);
        }
    }

    static long retainAllOfVectorSet(boolean fixed) {
        UniqueVector vector = new UniqueVector(Bugs.multiples(2));
        List<Integer> wanted = Bugs.multiples(3);
        vector.retainAll(fixed ? new HashSet<>(wanted) : wanted);
        return Bugs.checksum(vector);
    }

    static long addAllToVectorSet(boolean fixed) {
        UniqueVector vector = new UniqueVector(Bugs.multiples(2));
        List<Integer> added = Bugs.multiples(3);
        if (fixed) {
            vector.addAllAtOnce(0, added);
        } else {
            vector.addAll(0, added);
        }
        return Bugs.checksum(vector);
    }

    /** A stack that compares by identity. */
    private static final class SameStack extends Stack<Object> {
        SameStack(Collection<?> elements) {
            addAll(elements);
        }

        @Override
        public synchronized boolean contains(Object object) {
            return indexOf(object) >= 0;
        }

        @Override
        public synchronized int indexOf(Object object, int from) {
            for (int i = from; i < elementCount; i++) {
                if (elementData[i] == object) {
                    return i;
                }
            }
            return -1;
        }

        @Override
        public synchronized boolean containsAll(Collection<?> elements) {
            return super.containsAll(elements);
        }

        @Override
        public synchronized boolean removeAll(Collection<?> elements) {
            return super.removeAll(elements);
        }

        @Override
        public synchronized boolean retainAll(Collection<?> elements) {
            return super.retainAll(elements);
        }

        boolean containsAllAtOnce(Collection<?> elements) {
            Map<Object, Object> own = new IdentityHashMap<>();
            for (int i = 0; i < elementCount; i++) {
                own.put(elementData[i], elementData[i]);
            }
            return own.keySet().containsAll(elements);
        }
    }

    static long containsAllOfIdentityStack(boolean fixed) {
        List<Integer> elements = Bugs.multiples(2);
        SameStack stack = new SameStack(elements);
        return (fixed ? stack.containsAllAtOnce(elements) : stack.containsAll(elements)) ? 1 : 0;
    }

    static long removeAllFromIdentityStack(boolean fixed) {
        SameStack stack = new SameStack(Bugs.multiples(2));
        List<Integer> removed = Bugs.multiples(3);
        stack.removeAll(fixed ? new HashSet<>(removed) : removed);
        return Bugs.checksum(stack);
    }

    static long retainAllOfIdentityStack(boolean fixed) {
        SameStack stack = new SameStack(Bugs.multiples(2));
        List<Integer> wanted = Bugs.multiples(3);
        stack.retainAll(fixed ? new HashSet<>(wanted) : wanted);
        return Bugs.checksum(stack);
    }
}
