package assay.accesses;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * Where a method holds monitors that it has entered itself (`synchronized` blocks). The JIT compilers tie a monitor to the
 * instruction that entered it, and compile no method in which one of two instructions may have done so.
 */
final class Monitors implements Opcodes {
    private static final int UNKNOWN = -1;

    private final MethodNode method;
    private final AbstractInsnNode[] code;
    private final Map<LabelNode, Integer> labels;
    private final int[] held; // before each instruction
    private final Deque<Integer> open = new ArrayDeque<>();

    Monitors(MethodNode method, AbstractInsnNode[] code, Map<LabelNode, Integer> labels) {
        this.method = method;
        this.code = code;
        this.labels = labels;
        held = new int[code.length];
    }

    /** Whether a monitor may be held there, by the indexes of the instructions. */
    boolean[] locked() {
        boolean[] locked = new boolean[code.length];
        if (entersAny()) {
            follow();
            for (int i = 0; i < code.length; i++) {
                locked[i] = held[i] != 0;
            }
        }
        return locked;
    }

    private boolean entersAny() {
        for (AbstractInsnNode at : code) {
            if (at.getOpcode() == MONITORENTER) {
                return true;
            }
        }
        return false;
    }

    private void follow() {
        Arrays.fill(held, UNKNOWN);
        reach(0, 0);
        while (!open.isEmpty()) {
            int at = open.pop(), op = code[at].getOpcode();
            for (TryCatchBlockNode block : method.tryCatchBlocks) {
                if (labels.get(block.start) <= at && at < labels.get(block.end) && op >= 0) {
                    reach(labels.get(block.handler), held[at]);
                    if (block.type == null) {
                        break; // it catches all
                    }
                }
            }
            int after = held[at] + (op == MONITORENTER ? 1 : op == MONITOREXIT ? -1 : 0);
            for (LabelNode target : Bodies.targets(code[at])) {
                reach(labels.get(target), after);
            }
            boolean ends = op == GOTO || op == ATHROW || op == TABLESWITCH || op == LOOKUPSWITCH
                || op >= IRETURN && op <= RETURN;
            if (!ends) {
                reach(at + 1, after);
            }
        }
    }

    /** The way to an instruction that holds most monitors counts, if there are several. */
    private void reach(int at, int monitors) {
        if (at < code.length && monitors > held[at] && monitors < code.length) {
            held[at] = monitors;
            open.push(at);
        }
    }
}
