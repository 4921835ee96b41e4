package assay.accesses;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * A method with two bodies, for bursts: as it was, and with probes. Where the method begins, where a loop begins again and
 * where an exception is caught, the code without probes tests whether there is a burst, and goes on in the other body; at
 * loops that one tests whether the burst is over, and goes back. (Full duplication: Arnold and Ryder, PLDI 2001.)
 */
final class Bodies implements Opcodes {
    private final String owner;
    private final boolean framed;
    private final MethodNode method;
    private final AbstractInsnNode[] plain, probed; // the same instructions
    private final InsnList ways = new InsnList(); // from the plain body into the other one

    /** The body that gets probes. */
    final MethodNode copy;

    Bodies(String owner, int major, MethodNode method) {
        this.owner = owner;
        this.method = method;
        framed = major >= V1_6;
        copy = new MethodNode(ASM9, method.access, method.name, method.desc, null, null);
        method.accept(copy);
        plain = method.instructions.toArray();
        probed = copy.instructions.toArray();
        if (plain.length != probed.length) {
            throw new IllegalStateException("the copy of " + owner + "." + method.name + " differs");
        }
    }

    /** Adds the copy, with its probes, to the method. */
    void join(Probes probes) {
        describe(probes);
        if (!hasSubroutines()) {
            switchBodies(probes);
        }
        for (AbstractInsnNode at : plain) {
            if (at instanceof FrameNode) {
                Probes.nameUnfinished(method, (FrameNode) at);
            }
        }
        LabelNode begin = new LabelNode();
        method.instructions.insert(ifOn(begin, false));
        method.instructions.add(begin);
        if (framed) {
            method.instructions.add(firstFrame());
        }
        method.instructions.add(copy.instructions);
        method.instructions.add(ways);
        method.tryCatchBlocks.addAll(copy.tryCatchBlocks);
        method.maxLocals = copy.maxLocals;
    }

    private void describe(Probes probes) {
        Map<AbstractInsnNode, AbstractInsnNode> twins = new HashMap<>();
        for (int i = 0; i < plain.length; i++) {
            twins.put(probed[i], plain[i]);
        }
        for (AbstractInsnNode call : probes.calls()) {
            LabelNode here = new LabelNode(), there = new LabelNode();
            method.instructions.insertBefore(twins.get(call), here);
            copy.instructions.insertBefore(call, there);
            probes.description().bodies(here, there);
        }
    }

    private static InsnList ifOn(LabelNode target, boolean each) {
        InsnList added = new InsnList();
        added.add(new FieldInsnNode(GETSTATIC, Fields.BURSTS, each ? "on" : "onNow", "Z"));
        added.add(new JumpInsnNode(IFNE, target));
        return added;
    }

    private FrameNode firstFrame() {
        List<Object> locals = new ArrayList<>();
        if ((method.access & ACC_STATIC) == 0) {
            locals.add(method.name.equals("<init>") ? UNINITIALIZED_THIS : (Object) owner);
        }
        for (Type type : Type.getArgumentTypes(method.desc)) {
            switch (type.getSort()) {
            case Type.LONG: locals.add(LONG); break;
            case Type.DOUBLE: locals.add(DOUBLE); break;
            case Type.FLOAT: locals.add(FLOAT); break;
            case Type.OBJECT: case Type.ARRAY: locals.add(type.getInternalName()); break;
            default: locals.add(INTEGER);
            }
        }
        return new FrameNode(F_NEW, locals.size(), locals.toArray(), 0, new Object[0]);
    }

    /* ---------------------------------------------------------------------------------------- the switch -- */

    /** Old compilers' code for `finally`: verifiers do not let it be entered from elsewhere. */
    private boolean hasSubroutines() {
        for (AbstractInsnNode at : plain) {
            if (at.getOpcode() == JSR || at.getOpcode() == RET) {
                return true;
            }
        }
        return false;
    }

    private void switchBodies(Probes probes) {
        Map<LabelNode, Integer> labels = new HashMap<>();
        for (int i = 0; i < plain.length; i++) {
            if (plain[i] instanceof LabelNode) {
                labels.put((LabelNode) plain[i], i);
            }
        }
        Map<Integer, Integer> loops = loops(labels);
        Set<Integer> all = new TreeSet<>(loops.keySet());
        Set<Integer> handlers = new TreeSet<>();
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            handlers.add(labels.get(block.handler));
        }
        all.addAll(handlers);
        boolean[] locked = new Monitors(method, plain, labels).locked();
        for (int label : all) {
            int frame = frameAt(label);
            boolean possible = frame >= 0 && !locked[label] && (!framed || isFinished((FrameNode) plain[frame]));
            if (handlers.contains(label)) {
                switchAtHandler(label, possible, probes);
            } else if (possible) {
                switchAtLoop(label, takesLong(label, loops.get(label), loops), probes);
            }
        }
    }

    /** The labels that a later instruction jumps to, with the last such instruction. */
    private Map<Integer, Integer> loops(Map<LabelNode, Integer> labels) {
        Map<Integer, Integer> found = new TreeMap<>();
        for (int i = 0; i < plain.length; i++) {
            for (LabelNode target : targets(plain[i])) {
                if (labels.get(target) < i) {
                    found.put(labels.get(target), i);
                }
            }
        }
        return found;
    }

    /**
     * Whether a loop has calls or loops in it, and has to look for a burst each time. In others, which the JIT compilers
     * turn into the fastest code, they may move that out of the loop.
     */
    private boolean takesLong(int label, int end, Map<Integer, Integer> loops) {
        for (int i = label + 1; i < end; i++) {
            if (loops.containsKey(i) || plain[i].getOpcode() >= INVOKEVIRTUAL && plain[i].getOpcode() <= INVOKEDYNAMIC) {
                return true;
            }
        }
        return false;
    }

    static List<LabelNode> targets(AbstractInsnNode at) {
        List<LabelNode> all = new ArrayList<>();
        if (at instanceof JumpInsnNode) {
            all.add(((JumpInsnNode) at).label);
        } else if (at instanceof TableSwitchInsnNode) {
            all.addAll(((TableSwitchInsnNode) at).labels);
            all.add(((TableSwitchInsnNode) at).dflt);
        } else if (at instanceof LookupSwitchInsnNode) {
            all.addAll(((LookupSwitchInsnNode) at).labels);
            all.add(((LookupSwitchInsnNode) at).dflt);
        }
        return all;
    }

    /** Where a label's frame is; the label itself in code without frames; -1: none. */
    private int frameAt(int label) {
        if (!framed) {
            return label;
        }
        for (int i = label; i < plain.length && plain[i].getOpcode() < 0; i++) {
            if (plain[i] instanceof FrameNode) {
                return i;
            }
        }
        return -1;
    }

    /** A constructor that has not run yet for an object ties the code to the body that made the object. */
    private static boolean isFinished(FrameNode frame) {
        for (List<Object> types : List.of(frame.local, frame.stack)) {
            for (Object type : types) {
                if (type instanceof LabelNode || type == UNINITIALIZED_THIS) {
                    return false;
                }
            }
        }
        return true;
    }

    /** From the plain body to a label in the other one. */
    private LabelNode way(int frame, LabelNode to, Probes probes) {
        LabelNode way = new LabelNode();
        ways.add(way);
        if (framed) {
            ways.add(copyOf((FrameNode) plain[frame]));
        }
        ways.add(probes.reenter());
        ways.add(new JumpInsnNode(GOTO, to));
        return way;
    }

    private static FrameNode copyOf(FrameNode frame) {
        return new FrameNode(F_NEW, frame.local.size(), frame.local.toArray(), frame.stack.size(), frame.stack.toArray());
    }

    private void switchAtLoop(int label, boolean each, Probes probes) {
        int frame = frameAt(label);
        method.instructions.insert(plain[frame], ifOn(way(frame, (LabelNode) probed[label], probes), each));
        copy.instructions.insert(probed[frame], probes.leave((LabelNode) plain[label]));
    }

    /** Compilers do not take code that jumps to a handler, so it has a second label, after at least one instruction. */
    private void switchAtHandler(int label, boolean possible, Probes probes) {
        LabelNode handler = (LabelNode) plain[label], ownEnd = Probes.ownEnd(method, handler);
        AbstractInsnNode after = ownEnd == null ? null : Probes.next(ownEnd);
        if (after != null) {
            method.instructions.insertBefore(after, caught());
        }
        if (ownEnd != null) {
            return;
        }
        if (!possible) {
            method.instructions.insertBefore(Probes.next(handler), caught());
            return;
        }
        int frame = frameAt(label);
        LabelNode here = new LabelNode(), there = new LabelNode();
        InsnList inPlain = new InsnList(), inProbed = probes.leave(here);
        inPlain.add(new InsnNode(NOP));
        inPlain.add(here);
        inProbed.add(there);
        if (framed) {
            inPlain.add(copyOf((FrameNode) plain[frame]));
            inProbed.add(copyOf((FrameNode) probed[frame]));
        }
        inPlain.add(ifOn(way(frame, there, probes), false));
        method.instructions.insert(plain[frame], inPlain);
        copy.instructions.insert(probed[frame], inProbed);
    }

    /** Where the body can't be switched, the next call at least asks the stack for its path. */
    private static InsnList caught() {
        InsnList added = new InsnList();
        added.add(new MethodInsnNode(INVOKESTATIC, Fields.BURSTS, "caught", "()V", false));
        return added;
    }
}
