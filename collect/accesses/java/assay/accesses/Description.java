package assay.accesses;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.tree.LabelNode;

/**
 * What the agent must know of a rewritten method (collect/accesses/methods.h): its names, and where in it the accesses
 * and calls are, in the order of their numbers.
 */
final class Description {
    static final int STORE = 8, FLOATING = 4, REFERENCE = 16;

    private final String className, method, descriptor, file;
    private final List<Long> accesses = new ArrayList<>(), calls = new ArrayList<>(); // the words
    private final List<LabelNode> plain = new ArrayList<>(), probed = new ArrayList<>(); // of calls, in either body

    Description(String className, String method, String descriptor, String file) {
        this.className = className.replace('/', '.');
        this.method = method;
        this.descriptor = descriptor;
        this.file = file == null ? "" : file;
    }

    /** The kind of accesses of values of a type: the binary logarithm of the size, and flags. */
    static int kind(char type) {
        switch (type) {
        case 'J': return 3;
        case 'D': return 3 | FLOATING;
        case 'F': return 2 | FLOATING;
        case 'I': return 2;
        case 'C': case 'S': return 1;
        case 'B': case 'Z': return 0;
        default: return REFERENCE;
        }
    }

    /** Adds an access at a place (as in Original); its number. */
    int access(int place, int kind) {
        accesses.add(place & 0xffffffffL | (long) kind << 32);
        return accesses.size() - 1;
    }

    /** Adds a call; its number. */
    int call(int place) {
        calls.add(place & 0xffffffffL);
        return calls.size() - 1;
    }

    /** Where the next call is in the bodies without and with probes. Known once the class has been written. */
    void bodies(LabelNode inPlain, LabelNode inProbed) {
        plain.add(inPlain);
        probed.add(inProbed);
    }

    private long bodies(int call) {
        return call >= plain.size() ? 0
            : (plain.get(call).getLabel().getOffset() & 0xffffL) << 32 | (long) probed.get(call).getLabel().getOffset() << 48;
    }

    int accesses() {
        return accesses.size();
    }

    int calls() {
        return calls.size();
    }

    byte[] bytes() {
        byte[][] texts = {text(className), text(method), text(descriptor), text(file)};
        int size = 12;
        for (byte[] text : texts) {
            size += text.length;
        }
        int padding = (8 - size % 8) % 8;
        ByteBuffer out = ByteBuffer.allocate(size + padding + 8 * (accesses.size() + calls.size()));
        out.order(ByteOrder.LITTLE_ENDIAN).putInt(size + padding).putInt(accesses.size()).putInt(calls.size());
        for (byte[] text : texts) {
            out.put(text);
        }
        out.position(size + padding);
        for (long each : accesses) {
            out.putLong(each);
        }
        for (int i = 0; i < calls.size(); i++) {
            out.putLong(calls.get(i) | bodies(i));
        }
        return out.array();
    }

    private static byte[] text(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }
}
