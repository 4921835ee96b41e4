package assay.accesses;

import java.util.ArrayList;
import java.util.List;
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

    /** The instructions' bytecode indexes (bits 0-15) and lines (16-31; 0: unknown), of each method. */
    final List<int[]> locations = new ArrayList<>();

    Original(byte[] bytes) {
        this(bytes, 0);
        List<Integer> offsets = Offsets.of(new ClassReader(readable(bytes, major)));
        int next = 0;
        for (MethodNode method : node.methods) {
            int[] found = new int[method.instructions.size()];
            int count = 0;
            int line = 0;
            for (AbstractInsnNode i : method.instructions) {
                if (i instanceof LineNumberNode) {
                    line = ((LineNumberNode) i).line;
                } else if (i.getOpcode() >= 0) {
                    found[count++] = offsets.get(next++) | line << 16;
                }
            }
            locations.add(found);
        }
    }

    /** For Prepare: `without` says what ASM is to skip; then there are no locations. */
    Original(byte[] bytes, int without) {
        major = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
        new ClassReader(readable(bytes, major)).accept(node, ClassReader.EXPAND_FRAMES | without);
    }

    byte[] withOwnMajor(byte[] bytes) {
        return withMajor(bytes, major);
    }

    private static byte[] readable(byte[] bytes, int major) {
        return major > KNOWN_MAJOR ? withMajor(bytes.clone(), KNOWN_MAJOR) : bytes;
    }

    private static byte[] withMajor(byte[] bytes, int major) {
        bytes[6] = (byte) (major >> 8);
        bytes[7] = (byte) major;
        return bytes;
    }
}
