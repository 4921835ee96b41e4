package assay.methods;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The probes of one method: on entry, the returned depth goes into a local variable after all others; the method is
 * left by a return, or by an exception that a handler around its whole code passes on.
 *
 * Frames are not computed. The existing ones get the variable too, and the handler's has only the variable and, in a
 * constructor before it has called super() or this(), the object that is not yet initialized.
 */
final class Probes implements Opcodes {
    /** Bytes of bytecode; a method is limited to 65,535. */
    static final int LARGEST = 60000;

    private final MethodNode method;
    private final String probe; // the class
    private final int depth; // the local variable
    private final boolean frames;
    private MethodInsnNode initialization; // of a constructor: its call of super() or this()
    private int id;

    Probes(ClassNode owner, MethodNode method, String probe) {
        this.method = method;
        this.probe = probe;
        this.depth = method.maxLocals;
        this.frames = (owner.version & 0xffff) >= V1_6;
    }

    /** Whether the probes can be inserted. A constructor must call super() or this() in one place, as compilers do. */
    boolean fit() {
        return !method.name.equals("<init>") || findInitialization();
    }

    private boolean findInitialization() {
        int unfinished = 0; // objects made by `new` and not yet initialized, in the order of the code
        for (AbstractInsnNode at : method.instructions) {
            if (at.getOpcode() == NEW) {
                unfinished++;
            } else if (at.getOpcode() == INVOKESPECIAL && ((MethodInsnNode) at).name.equals("<init>")) {
                if (unfinished > 0) {
                    unfinished--;
                } else if (initialization != null) {
                    return false;
                } else {
                    initialization = (MethodInsnNode) at;
                }
            }
        }
        return initialization != null && unfinished == 0 && framesAgree();
    }

    /** All frames before the call know an uninitialized object, none after it does. */
    private boolean framesAgree() {
        boolean before = true;
        for (AbstractInsnNode at : method.instructions) {
            before &= at != initialization;
            if (at instanceof FrameNode && ((FrameNode) at).local.contains(UNINITIALIZED_THIS) != before) {
                return false;
            }
            if (before && at.getOpcode() >= IRETURN && at.getOpcode() <= RETURN) {
                return false;
            }
        }
        return true;
    }

    void insert(int number) {
        id = number;
        for (AbstractInsnNode at : method.instructions.toArray()) {
            if (at instanceof FrameNode) {
                widen((FrameNode) at);
            }
        }
        InsnList begin = new InsnList();
        begin.add(constant(id));
        begin.add(probe("enter", "(I)I"));
        begin.add(new VarInsnNode(ISTORE, depth));
        method.instructions.insert(begin);
        cover();
    }

    /**
     * Ranges of instructions covered by a handler: all but the returns, whose probe has run, and a constructor's call
     * of super(): a handler could not know whether the object is initialized. An exit by that call has no record; the
     * thread's next record shows that the method has been left.
     */
    private void cover() {
        List<LabelNode[]> early = new ArrayList<>();
        List<LabelNode[]> late = new ArrayList<>();
        List<LabelNode[]> ranges = initialization == null ? late : early;
        AbstractInsnNode at = method.instructions.getFirst().getNext().getNext(); // the depth is stored
        LabelNode start = after(at);
        boolean empty = true;
        for (at = start.getNext(); at != null; at = at.getNext()) {
            boolean leaves = at.getOpcode() >= IRETURN && at.getOpcode() <= RETURN;
            if (leaves) {
                InsnList exit = new InsnList();
                exit.add(constant(id));
                exit.add(new VarInsnNode(ILOAD, depth));
                exit.add(probe("exit", "(II)V"));
                method.instructions.insertBefore(at, exit);
                empty = false;
            }
            if (leaves || at == initialization) {
                if (!empty) {
                    LabelNode end = new LabelNode();
                    method.instructions.insertBefore(at, end);
                    ranges.add(new LabelNode[] {start, end});
                }
                ranges = late;
                start = after(at);
                at = start;
                empty = true;
            } else {
                empty &= at.getOpcode() < 0;
            }
        }
        if (!empty) {
            ranges.add(new LabelNode[] {start, after(method.instructions.getLast())});
        }
        handle(early, true);
        handle(late, false);
    }

    private LabelNode after(AbstractInsnNode at) {
        LabelNode label = new LabelNode();
        method.instructions.insert(at, label);
        return label;
    }

    private void handle(List<LabelNode[]> ranges, boolean uninitialized) {
        if (ranges.isEmpty()) {
            return;
        }
        LabelNode handler = new LabelNode();
        InsnList code = new InsnList();
        code.add(handler);
        if (frames) {
            Object[] locals = new Object[depth + 1];
            Arrays.fill(locals, TOP);
            locals[depth] = INTEGER;
            if (uninitialized) {
                locals[0] = UNINITIALIZED_THIS;
            }
            code.add(new FrameNode(F_NEW, locals.length, locals, 1, new Object[] {"java/lang/Throwable"}));
        }
        code.add(constant(id));
        code.add(new VarInsnNode(ILOAD, depth));
        code.add(probe("thrown", "(II)V"));
        code.add(new InsnNode(ATHROW));
        method.instructions.add(code);
        for (LabelNode[] range : ranges) {
            method.tryCatchBlocks.add(new TryCatchBlockNode(range[0], range[1], handler, null));
        }
    }

    private void widen(FrameNode frame) {
        List<Object> locals = new ArrayList<>(frame.local);
        int slots = 0;
        for (Object local : locals) {
            slots += local == LONG || local == DOUBLE ? 2 : 1;
        }
        for (; slots < depth; slots++) {
            locals.add(TOP);
        }
        locals.add(INTEGER);
        frame.local = locals;
    }

    private static AbstractInsnNode constant(int value) {
        return value < Short.MAX_VALUE ? new IntInsnNode(SIPUSH, value) : new LdcInsnNode(value);
    }

    private MethodInsnNode probe(String name, String descriptor) {
        return new MethodInsnNode(INVOKESTATIC, probe, name, descriptor, false);
    }
}
