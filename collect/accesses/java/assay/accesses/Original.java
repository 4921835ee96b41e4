package assay.accesses;

import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodNode;

/** A class file as it was: its tree, and where each instruction is. */
final class Original {
    /** The last version that this ASM reads; later ones have the same instructions. */
    private static final int KNOWN_MAJOR = Opcodes.V20 & 0xffff;

    final ClassNode node = new ClassNode();
    final int major;
    private final Map<AbstractInsnNode, Integer> index = new IdentityHashMap<>(), line = new IdentityHashMap<>();

    Original(byte[] bytes) {
        this(bytes, 0);
    }

    Original(byte[] bytes, int without) {
        major = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
        ClassReader reader = new ClassReader(major > KNOWN_MAJOR ? withMajor(bytes.clone(), KNOWN_MAJOR) : bytes);
        reader.accept(node, ClassReader.EXPAND_FRAMES | without);
        Iterator<Integer> offsets = without == 0 ? Offsets.of(reader).iterator() : null;
        for (MethodNode method : node.methods) {
            int number = 0;
            for (AbstractInsnNode i : method.instructions) {
                if (i instanceof LineNumberNode) {
                    number = ((LineNumberNode) i).line;
                } else if (i.getOpcode() >= 0) {
                    index.put(i, offsets.next());
                    line.put(i, number);
                }
            }
        }
    }

    /** A copy's instructions are where the method's are. */
    void place(MethodNode method, MethodNode copy) {
        AbstractInsnNode to = copy.instructions.getFirst();
        for (AbstractInsnNode from : method.instructions) {
            if (from.getOpcode() >= 0) {
                while (to.getOpcode() < 0) {
                    to = to.getNext();
                }
                index.put(to, index.get(from));
                line.put(to, line.get(from));
                to = to.getNext();
            }
        }
    }

    /** The bytecode index of an instruction. */
    int index(AbstractInsnNode instruction) {
        return index.get(instruction);
    }

    /** Its line; 0: unknown. */
    int line(AbstractInsnNode instruction) {
        return line.get(instruction);
    }

    byte[] withOwnMajor(byte[] bytes) {
        return withMajor(bytes, major);
    }

    private static byte[] withMajor(byte[] bytes, int major) {
        bytes[6] = (byte) (major >> 8);
        bytes[7] = (byte) major;
        return bytes;
    }
}
