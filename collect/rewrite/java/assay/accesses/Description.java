package assay.accesses;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.tree.LabelNode;

/**
 * What the agent must know of a rewritten method (collect/rewrite/methods.h): its names, and where in it the accesses
 * and calls are, in the order of their numbers.
 */
final class Description {
    static final int STORE = 8, FLOATING = 4, REFERENCE = 16;

    private final String className, method, descriptor, file;
    private static final int CONSTRUCTOR = 1 << 16;

    private final List<Long> accesses = new ArrayList<>(), calls = new ArrayList<>(); // the words
    private final List<Integer> around = new ArrayList<>(); // of calls: the loop, or CONSTRUCTOR and the loop
    private final List<Loops.Loop> loops;
    private int loop;
    private final List<LabelNode> plain = new ArrayList<>(), probed = new ArrayList<>(); // of calls, in either body

    Description(String className, String method, String descriptor, String file, List<Loops.Loop> loops) {
        this.loops = loops;
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

    /** A method that stands for the allocation of a type. */
    static Description ofAllocation(String type) {
        return new Description(type, "<init>", "", null, List.of()); // no method has this descriptor
    }

    /** The number of the innermost loop around what is added from now on; 0: none. */
    void setLoop(int number) {
        loop = number;
    }

    /** Adds an access at a location (as in Original); its number. */
    int access(int location, int kind) {
        accesses.add(location & 0xffffffffL | (long) kind << 32 | (long) loop << 40);
        return accesses.size() - 1;
    }

    /** Adds a call, perhaps of another constructor for the same object; its number. */
    int call(int location, boolean isConstructor) {
        calls.add(location & 0xffffffffL);
        around.add(loop | (isConstructor ? CONSTRUCTOR : 0));
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
        int size = 16;
        for (byte[] text : texts) {
            size += text.length;
        }
        int padding = (8 - size % 8) % 8;
        ByteBuffer out = ByteBuffer.allocate(size + padding + 8 * (accesses.size() + 2 * calls.size() + loops.size()));
        out.order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(size + padding).putInt(accesses.size()).putInt(calls.size()).putInt(loops.size());
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
        for (int each : around) {
            out.putLong(each);
        }
        for (Loops.Loop each : loops) {
            out.putLong(each.location & 0xffffffffL | (long) each.around << 32);
        }
        return out.array();
    }

    private static byte[] text(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }
}
