import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.apache.commons.collections.CollectionUtils;
import org.apache.commons.collections.ListUtils;
import org.apache.commons.collections.bidimap.DualHashBidiMap;
import org.apache.commons.collections.list.CursorableLinkedList;
import org.apache.commons.collections.list.SetUniqueList;
import org.apache.commons.collections.map.ListOrderedMap;
import org.apache.commons.collections.set.ListOrderedSet;

/** Bugs of Apache Commons Collections, in the library itself: 3.2.2. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class CollectionsBugs {
    private CollectionsBugs() {
    }

    private static Collection<Integer> searched(boolean fixed) {
        List<Integer> list = Bugs.multiples(3);
        return fixed ? new HashSet<>(list) : list;
    }

    private static ListOrderedSet orderedSet() {
        return ListOrderedSet.decorate(Bugs.multiples(2));
    }

    private static SetUniqueList uniqueList() {
        return SetUniqueList.decorate(Bugs.multiples(2));
    }

    private static CursorableLinkedList linkedList() {
        return new CursorableLinkedList(Bugs.multiples(2));
    }

    private static DualHashBidiMap bidiMap() {
        DualHashBidiMap map = new DualHashBidiMap();
        for (Integer key : Bugs.multiples(2)) {
            map.put(key, -key);
        }
        return map;
    }

    static long subtractLists(boolean fixed) {
        List<Integer> all = Bugs.multiples(2), removed = Bugs.multiples(3);
        return Bugs.checksum(fixed ? Bugs.difference(all, removed) : ListUtils.subtract(all, removed));
    }

    static long removeFromOrderedSet(boolean fixed) {
        ListOrderedSet set = orderedSet();
        for (Integer absent : Bugs.multiples(2)) {
            Integer odd = absent + 1;
            if (!fixed || set.contains(odd)) {
                set.remove(odd);
            }
        }
        return Bugs.checksum(set);
    }

    static long removeAllFromUniqueList(boolean fixed) {
        SetUniqueList list = uniqueList();
        list.removeAll(searched(fixed));
        return Bugs.checksum(list);
    }

    static long addAllToOrderedSet(boolean fixed) {
        ListOrderedSet set = orderedSet();
        List<Integer> added = Bugs.multiples(3);
        if (fixed) {
            LinkedHashSet<Object> all = new LinkedHashSet<>(added);
            all.removeAll(set);
            all.addAll(set);
            set = ListOrderedSet.decorate(new ArrayList<>(all));
        } else {
            set.addAll(0, added);
        }
        return Bugs.checksum(set);
    }

    static long addAllToUniqueList(boolean fixed) {
        SetUniqueList list = uniqueList();
        List<Integer> added = Bugs.multiples(3);
        if (fixed) {
            LinkedHashSet<Object> all = new LinkedHashSet<>(added);
            all.removeAll(list.asSet());
            all.addAll(list);
            list = SetUniqueList.decorate(new ArrayList<>(all));
        } else {
            list.addAll(0, added);
        }
        return Bugs.checksum(list);
    }

    static long subtractCollections(boolean fixed) {
        List<Integer> all = Bugs.multiples(2), removed = Bugs.multiples(3);
        return Bugs.checksum(fixed ? Bugs.difference(all, removed) : CollectionUtils.subtract(all, removed));
    }

    static long removeAllFromBidiMap(boolean fixed) {
        DualHashBidiMap map = bidiMap();
        map.keySet().removeAll(searched(fixed));
        return Bugs.checksum(map.keySet());
    }

    static long removeAllFromLinkedList(boolean fixed) {
        CursorableLinkedList list = linkedList();
        list.removeAll(searched(fixed));
        return Bugs.checksum(list);
    }

    static long removeAllFromCopy(boolean fixed) {
        return Bugs.checksum(ListUtils.removeAll(Bugs.multiples(2), searched(fixed)));
    }

    static long retainAllOfLinkedList(boolean fixed) {
        CursorableLinkedList list = linkedList();
        list.retainAll(searched(fixed));
        return Bugs.checksum(list);
    }

    static long retainAllOfBidiMap(boolean fixed) {
        DualHashBidiMap map = bidiMap();
        map.keySet().retainAll(searched(fixed));
        return Bugs.checksum(map.keySet());
    }

    static long removeFromOrderedMap(boolean fixed) {
        Map map = ListOrderedMap.decorate(new HashMap<>());
        for (Integer key : Bugs.multiples(2)) {
            map.put(key, key);
        }
        for (Integer absent : Bugs.multiples(2)) {
            Integer odd = absent + 1;
            if (!fixed || map.containsKey(odd)) {
                map.remove(odd);
            }
        }
        return Bugs.checksum(map.keySet());
    }

    static long retainAllOfOrderedSet(boolean fixed) {
        ListOrderedSet set = orderedSet();
        set.retainAll(searched(fixed));
        return Bugs.checksum(set);
    }

    static long retainAllOfUniqueList(boolean fixed) {
        SetUniqueList list = uniqueList();
        list.retainAll(searched(fixed));
        return Bugs.checksum(list);
    }

    static long containsAll(boolean fixed) {
        CursorableLinkedList list = linkedList();
        Collection<Object> all = fixed ? new HashSet<Object>(list) : list;
        return all.containsAll(Bugs.multiples(2)) ? 1 : 0;
    }
}
