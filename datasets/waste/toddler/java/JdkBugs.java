import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A bug of the JDK's own collections, as this JVM has it. */
final class JdkBugs {
    private JdkBugs() {
    }

    static long removeAllFromSet(boolean fixed) {
        Set<Integer> set = new HashSet<>(Bugs.multiples(2));
        List<Integer> removed = Bugs.multiples(3);
        Collection<Integer> searched = fixed ? new HashSet<>(removed) : removed;
        set.removeAll(searched);
        return Bugs.checksum(set);
    }
}
