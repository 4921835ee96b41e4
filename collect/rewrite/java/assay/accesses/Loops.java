package assay.accesses;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The natural loops of a method: for every header h that a jump n → h leads to, where h dominates n, the code from which
 * n is reached without passing h. Loops with the same header are one. What a handler covers may go on in the handler.
 *
 * Source: dominators: Cooper, Harvey, Kennedy, A simple, fast dominance algorithm, Rice TR-06-33870 (2001); natural loops:
 * Aho, Lam, Sethi, Ullman, Compilers, 2nd ed., §9.6.6.
 */
final class Loops {
    /** More loops than these do not fit into a method's description: then it has none. */
    private static final int MOST = 4094;

    /** A loop; the location of its header is that of the instruction. */
    static final class Loop {
        final AbstractInsnNode header; // a label
        int location; // bytecode index in bits 0-15, line in bits 16-31, as in Original; the line is the loop's own
        int around; // the number of the loop around it; 0: none
        private final int block;
        private final BitSet blocks = new BitSet();

        private Loop(AbstractInsnNode header, int block) {
            this.header = header;
            this.block = block;
        }
    }

    private final AbstractInsnNode[] code;
    private final int[] locations; // of each in `code`; labels have that of the next instruction
    private final int[] blockOf;
    private final List<int[]> blocks = new ArrayList<>(); // first and last in `code`
    private final List<BitSet> next = new ArrayList<>(), jumps = new ArrayList<>(); // of blocks; jumps: but for handlers
    private final List<Loop> loops = new ArrayList<>(); // outer ones first
    private final int[] innermost; // of blocks: a number

    private final InsnList instructions;
    private int[] order; // of blocks in reverse postorder; -1: nothing leads there
    private int[] dominators;

    /** `locations` are those of the instructions, as in Original. */
    Loops(MethodNode method, int[] locations) {
        code = method.instructions.toArray();
        this.locations = locationsOf(locations);
        blockOf = new int[code.length];
        instructions = method.instructions;
        if (jumpsBack()) {
            split(method);
            link(method);
            orderBlocks();
            findDominators();
            findLoops();
        }
        innermost = new int[blocks.size()];
        if (loops.size() <= MOST) {
            nest();
        } else {
            loops.clear();
        }
    }

    List<Loop> all() {
        return loops;
    }

    /** The number of the innermost loop around an instruction, by its index in the method's list; 0: none. */
    int around(int index) {
        return loops.isEmpty() ? 0 : innermost[blockOf[index]];
    }

    private int[] locationsOf(int[] ofInstructions) {
        int[] all = new int[code.length];
        int number = 0, at = 0;
        for (int i = 0; i < code.length; i++) {
            all[i] = number < ofInstructions.length ? ofInstructions[number] : at;
            at = all[i];
            number += code[i].getOpcode() >= 0 ? 1 : 0;
        }
        return all;
    }

    private boolean jumpsBack() {
        for (int i = 0; i < code.length; i++) {
            int type = code[i].getType();
            boolean jumps = type == AbstractInsnNode.JUMP_INSN || type == AbstractInsnNode.TABLESWITCH_INSN
                || type == AbstractInsnNode.LOOKUPSWITCH_INSN;
            for (LabelNode target : jumps ? Bodies.targets(code[i]) : List.<LabelNode>of()) {
                if (instructions.indexOf(target) <= i) {
                    return true;
                }
            }
        }
        return false;
    }

    /* ---------------------------------------------------------------------------------------- blocks -- */

    private static boolean ends(AbstractInsnNode at) {
        int op = at.getOpcode();
        return op == Opcodes.GOTO || op == Opcodes.TABLESWITCH || op == Opcodes.LOOKUPSWITCH || op == Opcodes.ATHROW
            || op == Opcodes.RET || op >= Opcodes.IRETURN && op <= Opcodes.RETURN;
    }

    private void split(MethodNode method) {
        BitSet leaders = new BitSet();
        leaders.set(0);
        for (int i = 0; i < code.length; i++) {
            List<LabelNode> targets = Bodies.targets(code[i]);
            for (LabelNode target : targets) {
                leaders.set(instructions.indexOf(target));
            }
            if (!targets.isEmpty() || ends(code[i])) {
                leaders.set(i + 1);
            }
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            for (LabelNode label : List.of(block.start, block.end, block.handler)) {
                leaders.set(instructions.indexOf(label));
            }
        }
        for (int at = 0; at >= 0 && at < code.length;) {
            int end = leaders.nextSetBit(at + 1);
            end = end < 0 || end > code.length ? code.length : end;
            Arrays.fill(blockOf, at, end, blocks.size());
            blocks.add(new int[] {at, end - 1});
            at = end;
        }
    }

    private void link(MethodNode method) {
        for (int i = 0; i < blocks.size(); i++) {
            BitSet targets = new BitSet();
            AbstractInsnNode last = code[blocks.get(i)[1]];
            for (LabelNode target : Bodies.targets(last)) {
                targets.set(blockOf[instructions.indexOf(target)]);
            }
            if (!ends(last) && i + 1 < blocks.size()) {
                targets.set(i + 1);
            }
            jumps.add(targets);
            next.add((BitSet) targets.clone());
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            int from = blockOf[instructions.indexOf(block.start)], end = instructions.indexOf(block.end);
            for (int i = from; i < blocks.size() && blocks.get(i)[0] < end; i++) {
                next.get(i).set(blockOf[instructions.indexOf(block.handler)]);
            }
        }
    }

    /** Depth first, without recursion: methods may have thousands of blocks. */
    private void orderBlocks() {
        int count = blocks.size(), left = count;
        order = new int[count];
        Arrays.fill(order, -1);
        BitSet seen = new BitSet();
        int[] path = new int[count], edges = new int[count];
        int depth = 0;
        seen.set(0);
        while (depth >= 0) {
            int edge = next.get(path[depth]).nextSetBit(edges[depth]);
            if (edge < 0) {
                order[path[depth--]] = --left;
                continue;
            }
            edges[depth] = edge + 1;
            if (!seen.get(edge)) {
                seen.set(edge);
                path[++depth] = edge;
                edges[depth] = 0;
            }
        }
    }

    private void findDominators() {
        int count = blocks.size();
        int[] byOrder = new int[count];
        Arrays.fill(byOrder, -1);
        for (int i = 0; i < count; i++) {
            if (order[i] >= 0) {
                byOrder[order[i]] = i;
            }
        }
        dominators = new int[count];
        Arrays.fill(dominators, -1);
        dominators[0] = 0;
        for (boolean changed = true; changed;) {
            changed = false;
            for (int block : byOrder) {
                for (int to = block < 0 || dominators[block] < 0 ? -1 : next.get(block).nextSetBit(0); to >= 0;
                    to = next.get(block).nextSetBit(to + 1)) {
                    int common = to == 0 ? 0 : dominators[to] < 0 ? block : common(dominators[to], block);
                    changed |= common != dominators[to];
                    dominators[to] = common;
                }
            }
        }
    }

    private int common(int a, int b) {
        while (a != b) {
            if (order[a] > order[b]) {
                a = dominators[a];
            } else {
                b = dominators[b];
            }
        }
        return a;
    }

    private boolean dominates(int a, int block) {
        int at = block;
        while (order[at] > order[a]) {
            at = dominators[at];
        }
        return at == a;
    }

    /* ---------------------------------------------------------------------------------------- loops -- */

    private void findLoops() {
        List<BitSet> before = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            before.add(new BitSet());
        }
        for (int from = 0; from < blocks.size(); from++) {
            for (int to = next.get(from).nextSetBit(0); to >= 0; to = next.get(from).nextSetBit(to + 1)) {
                before.get(to).set(from);
            }
        }
        Map<Integer, Loop> byHeader = new HashMap<>();
        for (int header = 0; header < blocks.size(); header++) {
            for (int from = before.get(header).nextSetBit(0); from >= 0; from = before.get(header).nextSetBit(from + 1)) {
                if (jumps.get(from).get(header) && order[from] >= 0 && dominates(header, from)) {
                    int block = header;
                    fill(byHeader.computeIfAbsent(header, key -> new Loop(code[blocks.get(block)[0]], block)), from, before);
                }
            }
        }
        loops.addAll(byHeader.values());
        loops.sort((a, b) -> a.blocks.cardinality() != b.blocks.cardinality()
            ? b.blocks.cardinality() - a.blocks.cardinality() : a.block - b.block);
    }

    private void fill(Loop loop, int from, List<BitSet> before) {
        List<Integer> left = new ArrayList<>();
        loop.blocks.set(loop.block);
        left.add(from);
        while (!left.isEmpty()) {
            int at = left.remove(left.size() - 1);
            if (!loop.blocks.get(at) && order[at] >= 0) {
                loop.blocks.set(at);
                before.get(at).stream().forEach(left::add);
            }
        }
    }

    /** Larger loops come first, so the last one that has a block is the innermost. */
    private void nest() {
        for (int i = 0; i < loops.size(); i++) {
            Loop loop = loops.get(i);
            loop.around = innermost[loop.block];
            int number = i + 1;
            loop.blocks.stream().forEach(block -> innermost[block] = number);
        }
        for (int i = 0; i < loops.size(); i++) {
            Loop loop = loops.get(i);
            loop.location = locations[blocks.get(loop.block)[0]] & 0xffff | lineOf(loop, i + 1) << 16;
        }
    }

    /** The smallest line of the jumps that go back to the header or leave the loop, without those of inner loops. */
    private int lineOf(Loop loop, int number) {
        int least = 0;
        for (int block = loop.blocks.nextSetBit(0); block >= 0; block = loop.blocks.nextSetBit(block + 1)) {
            int last = blocks.get(block)[1];
            BitSet leaving = (BitSet) jumps.get(block).clone();
            boolean returns = jumps.get(block).get(loop.block);
            leaving.andNot(loop.blocks);
            int line = locations[last] >>> 16;
            if (innermost[block] == number && (returns || !leaving.isEmpty()) && line > 0 && (least == 0 || line < least)) {
                least = line;
            }
        }
        return least == 0 ? locations[blocks.get(loop.block)[0]] >>> 16 : least;
    }
}
