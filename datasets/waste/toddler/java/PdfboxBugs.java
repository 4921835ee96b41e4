import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import org.apache.pdfbox.cos.COSArray;
import org.apache.pdfbox.cos.COSBase;
import org.apache.pdfbox.cos.COSInteger;
import org.apache.pdfbox.pdmodel.common.COSArrayList;

/** Collections of PDFBox, in the library itself: 1.8.16. */
final class PdfboxBugs {
    private PdfboxBugs() {
    }

    private static List<COSBase> numbers(int factor) {
        List<COSBase> list = new ArrayList<>();
        for (Integer number : Bugs.multiples(factor)) {
            list.add(COSInteger.get(number));
        }
        return list;
    }

    private static COSArray array() {
        COSArray array = new COSArray();
        array.addAll(numbers(2));
        return array;
    }

    private static Collection<COSBase> searched(boolean fixed) {
        List<COSBase> list = numbers(3);
        return fixed ? new HashSet<>(list) : list;
    }

    static long removeAllFromArray(boolean fixed) {
        COSArray array = array();
        array.removeAll(searched(fixed));
        return Bugs.checksum(array.toList());
    }

    static long retainAllOfArray(boolean fixed) {
        COSArray array = array();
        array.retainAll(searched(fixed));
        return Bugs.checksum(array.toList());
    }

    static long containsAllOfList(boolean fixed) {
        COSArrayList<COSBase> list = new COSArrayList<>(numbers(2), array());
        Collection<COSBase> all = fixed ? new HashSet<>(list) : list;
        return all.containsAll(numbers(2)) ? 1 : 0;
    }

    static long retainAllOfList(boolean fixed) {
        COSArrayList<COSBase> list = new COSArrayList<>(numbers(2), array());
        Collection<COSBase> wanted = searched(fixed);
        if (fixed) {
            list.removeIf(element -> !wanted.contains(element));
        } else {
            list.retainAll(wanted);
        }
        return Bugs.checksum(list);
    }
}
