import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import org.apache.commons.collections4.Bag;
import org.apache.commons.collections4.bag.CollectionBag;
import org.apache.commons.collections4.bag.HashBag;

/** A bug of Apache Commons Collections 4, in the library itself: 4.2. */
final class Collections4Bugs {
    private Collections4Bugs() {
    }

    static long retainAllOfBag(boolean fixed) {
        Bag<Integer> bag = CollectionBag.collectionBag(new HashBag<>(Bugs.multiples(2)));
        List<Integer> wanted = Bugs.multiples(3);
        Collection<Integer> searched = fixed ? new HashSet<>(wanted) : wanted;
        bag.retainAll(searched);
        return Bugs.checksum(bag);
    }
}
