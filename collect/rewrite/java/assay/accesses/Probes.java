package assay.accesses;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The probes of a method: where it begins it finds its node of the calling-context tree, before each access it reports
 * the access, and before each call (or start of another class's initializer), after an exception and at its return it
 * says where the thread is.
 */
final class Probes implements Opcodes {
    private static final String ACCESS = Fields.ACCESS, NODE = Fields.NODE, THREAD = "java/lang/AssayThread",
        STATIC = "java/lang/AssayStatic", ARRAYS = "java/lang/AssayArrays", OBJECT = "Ljava/lang/Object;";

    /** The elements of arrays by the instructions' order: int, long, float, double, reference, byte, char, short. */
    private static final String[] ELEMENTS = {"I", "J", "F", "D", OBJECT, "B", "C", "S"},
        NAMES = {"Int", "Long", "Float", "Double", "Reference", null, "Char", "Short"};

    /** What System.arraycopy() may copy, in the order of AssayArrays.shift(). */
    private static final char[] COPIED = {'B', 'C', 'I', 'J', 'F', 'D', 'L'};

    private final Original original;
    private final MethodNode method;
    private final Program program;
    private final Description description;
    private final int node, caller, site, spare; // local variables
    private final EarlyStores early;
    private final MemoryProbes memory; // null: in other modes
    private final int[] locations; // of the instructions, as in Original
    private int location; // of the one that gets a probe
    private int number; // of the method
    private final List<AbstractInsnNode> calls = new ArrayList<>(); // in the order of their numbers
    private final Loops loops;
    private final AbstractInsnNode constructorCall; // of another constructor for the same object; null: there is none
    private final Allocations allocations;

    Probes(Original original, int[] locations, MethodNode method, String name, Program program, Allocations allocations) {
        this.original = original;
        this.locations = locations;
        this.method = method;
        this.program = program;
        this.allocations = allocations;
        loops = new Loops(method, locations);
        constructorCall = method.name.equals("<init>") ? EarlyStores.constructorCall(method) : null;
        description = new Description(original.node.name, name, method.desc, original.node.sourceFile, loops.all());
        node = method.maxLocals;
        caller = node + 1;
        site = node + 2;
        early = new EarlyStores(original.node, method, node, node + 3, program.hasBursts() && !program.hasMemory());
        spare = early.end();
        memory = program.hasMemory() ? new MemoryProbes(method, program, description, early, node, spare) : null;
    }

    /** How many local variables the method has with probes. */
    int locals() {
        return spare + UnsafeCall.LOCALS;
    }

    /** False: there is nothing to report. */
    boolean insert() {
        AbstractInsnNode[] all = method.instructions.toArray();
        int instruction = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i].getOpcode() >= 0) {
                location = locations[instruction++];
                description.setLoop(loops.around(i));
                probe(all[i]);
            }
        }
        if (description.accesses() + description.calls() == 0) {
            return false;
        }
        number = program.reserve();
        passHeaders();
        if (memory != null && !overwritesThis()) {
            memory.reportEarly();
        }
        if (description.calls() > 0) {
            catchAll();
        }
        for (AbstractInsnNode at : all) {
            if (at instanceof FrameNode) {
                widen((FrameNode) at);
            } else if (description.calls() > 0 && at.getOpcode() >= IRETURN && at.getOpcode() <= RETURN) {
                before(at, here(caller, new VarInsnNode(ILOAD, site)));
            }
        }
        if (memory == null) {
            newObject();
        }
        method.instructions.insert(begin("enter"));
        method.maxLocals = locals();
        return true;
    }

    /** Describes the method to the agent, once the class has been written. */
    void define() {
        program.define(number, description);
    }

    Description description() {
        return description;
    }

    /** The calls, in the order of their numbers. */
    List<AbstractInsnNode> calls() {
        return calls;
    }

    /** For where a burst begins within the method. */
    InsnList reenter() {
        return begin("reenter");
    }

    /** At a loop: whether the burst is over. */
    InsnList leave(LabelNode plain) {
        InsnList added = new InsnList();
        added.add(new VarInsnNode(ALOAD, node));
        added.add(new MethodInsnNode(INVOKEVIRTUAL, NODE, "isOver", "()Z", false));
        added.add(new JumpInsnNode(IFNE, plain));
        return added;
    }

    private void probe(AbstractInsnNode at) {
        int op = at.getOpcode();
        if (at instanceof FieldInsnNode) {
            FieldInsnNode field = (FieldInsnNode) at;
            if (op == GETSTATIC || op == PUTSTATIC) {
                staticField(field);
            } else if (program.hasShadow(field.owner, field.name, field.desc)) {
                field(field);
            }
        } else if (op >= IALOAD && op <= SALOAD) {
            element(at, op - IALOAD, false);
        } else if (op >= IASTORE && op <= SASTORE) {
            element(at, op - IASTORE, true);
        } else if (op == ARRAYLENGTH && program.hasLengths()) {
            length(at);
        } else if (at instanceof MethodInsnNode) {
            call((MethodInsnNode) at);
        } else if (op == NEW) {
            mayInitialize(at, ((TypeInsnNode) at).desc);
        } else if (memory == null && (op == NEWARRAY || op == ANEWARRAY || op == MULTIANEWARRAY)) {
            newArray(at, op == MULTIANEWARRAY ? ((MultiANewArrayInsnNode) at).dims : 1);
        } else if (at instanceof InvokeDynamicInsnNode) {
            before(at, here(node, push(callBy(at))));
        }
    }

    /** The number of the call that an instruction makes, or may make. */
    private int callBy(AbstractInsnNode at) {
        calls.add(at);
        return description.call(location, at == constructorCall);
    }

    private void before(AbstractInsnNode at, InsnList added) {
        method.instructions.insertBefore(at, added);
    }

    /* ---------------------------------------------------------------------------------------- accesses -- */

    private void field(FieldInsnNode at) {
        if (memory != null) {
            memory.field(at, location);
            return;
        }
        boolean store = at.getOpcode() == PUTFIELD;
        if (store) {
            narrow(at, at.desc.charAt(0));
        }
        if (early.has(at)) {
            int kind = Description.kind(at.desc.charAt(0)) | Description.STORE;
            before(at, early.report(at, push(description.access(location, kind)), spare));
            return;
        }
        Type type = Type.getType(at.desc);
        boolean wide = store && type.getSize() == 2;
        InsnList added = new InsnList();
        if (wide) {
            added.add(new VarInsnNode(type.getOpcode(ISTORE), spare));
        }
        added.add(new InsnNode(store && !wide ? DUP2 : DUP));
        if (wide) {
            added.add(new VarInsnNode(type.getOpcode(ILOAD), spare));
        }
        report(added, at, store);
        if (wide) {
            added.add(new VarInsnNode(type.getOpcode(ILOAD), spare));
        }
        before(at, added);
    }

    private void report(InsnList added, FieldInsnNode at, boolean store) {
        int kind = Description.kind(at.desc.charAt(0)) | (store ? Description.STORE : 0);
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(description.access(location, kind)));
        added.add(new MethodInsnNode(INVOKESTATIC, at.owner, Fields.accessor(store, at.name, at.desc),
            Fields.accessorType(store, at.desc), false));
    }

    /** An int is cut to what the place that it is stored into holds, so that it can be compared. */
    private void narrow(AbstractInsnNode at, char type) {
        InsnList added = new InsnList();
        if (type == 'Z') {
            added.add(new InsnNode(ICONST_1));
            added.add(new InsnNode(IAND));
        } else if (type == 'B' || type == 'C' || type == 'S') {
            added.add(new InsnNode(type == 'B' ? I2B : type == 'C' ? I2C : I2S));
        }
        before(at, added);
    }

    /** An instruction that may start the initializer of another class. */
    private void mayInitialize(AbstractInsnNode at, String owner) {
        if (!owner.equals(original.node.name)) {
            before(at, here(node, push(callBy(at))));
        }
    }

    private void staticField(FieldInsnNode at) {
        boolean store = at.getOpcode() == PUTSTATIC;
        mayInitialize(at, at.owner);
        if (memory != null) {
            memory.staticField(at, location);
            return;
        }
        if (store) {
            narrow(at, at.desc.charAt(0));
        }
        Type type = Type.getType(at.desc);
        String compared = Fields.compared(at.desc);
        int kind = Description.kind(at.desc.charAt(0));
        InsnList added = new InsnList();
        added.add(new InsnNode(type.getSize() == 2 ? DUP2 : DUP));
        if (store) {
            added.add(new FieldInsnNode(GETSTATIC, at.owner, at.name, at.desc));
        }
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(description.access(location, kind | (store ? Description.STORE : 0))));
        added.add(push(program.reference(at.owner, at.name, at.desc)));
        added.add(push(kind));
        added.add(new MethodInsnNode(INVOKESTATIC, STATIC, store ? "store" : "load",
            "(" + compared + (store ? compared : "") + "L" + NODE + ";III)V", false));
        if (store) {
            before(at, added);
        } else {
            method.instructions.insert(at, added);
        }
    }

    private void element(AbstractInsnNode at, int element, boolean store) {
        if (memory != null) {
            memory.element(at, location);
            return;
        }
        String value = ELEMENTS[element].equals("B") ? "I" : ELEMENTS[element];
        String array = NAMES[element] == null ? OBJECT : "[" + ELEMENTS[element];
        int kind = Description.kind(ELEMENTS[element].charAt(0)) | (store ? Description.STORE : 0);
        Type type = Type.getType(value);
        InsnList added = new InsnList();
        if (store) {
            narrow(at, NAMES[element] == null ? 'I' : ELEMENTS[element].charAt(0));
            added.add(new VarInsnNode(type.getOpcode(ISTORE), spare));
        }
        added.add(new InsnNode(DUP2));
        if (store) {
            added.add(new VarInsnNode(type.getOpcode(ILOAD), spare));
        }
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(description.access(location, kind)));
        added.add(new MethodInsnNode(INVOKESTATIC, NAMES[element] == null ? ARRAYS : "java/lang/Assay" + NAMES[element] + "Array",
            store ? "store" : "load", "(" + array + "I" + (store ? value : "") + "L" + NODE + ";I)V", false));
        if (store) {
            added.add(new VarInsnNode(type.getOpcode(ILOAD), spare));
        }
        before(at, added);
    }

    private void length(AbstractInsnNode at) {
        InsnList added = new InsnList();
        added.add(new InsnNode(DUP));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(description.access(location, Description.kind('I'))));
        added.add(new MethodInsnNode(INVOKESTATIC, ARRAYS, "loadLength", "(" + OBJECT + "L" + NODE + ";I)V", false));
        before(at, added);
    }

    /* ---------------------------------------------------------------------------------------- new places -- */

    private void newArray(AbstractInsnNode at, int dimensions) {
        InsnList added = new InsnList();
        added.add(new InsnNode(DUP));
        added.add(push(dimensions));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(callBy(at)));
        added.add(push(allocations.ofArray(at)));
        added.add(new MethodInsnNode(INVOKESTATIC, ARRAYS, "made", "(" + OBJECT + "IL" + NODE + ";II)V", false));
        method.instructions.insert(at, added);
    }

    /** In a constructor: the object is new. */
    private void newObject() {
        AbstractInsnNode call = constructorCall;
        if (call != null) { // what the JVM constructs from now on, such as an exception, is another object
            method.instructions.insert(call, here(node, push(-1)));
        }
        if (call == null || ((MethodInsnNode) call).owner.equals(original.node.name) || !hasFields() || overwritesThis()) {
            return;
        }
        InsnList added = new InsnList();
        if (program.hasBursts()) {
            added.add(new VarInsnNode(ALOAD, 0));
            added.add(new MethodInsnNode(INVOKESTATIC, original.node.name, Fields.FRESH, "(" + OBJECT + ")V", false));
        }
        added.add(new VarInsnNode(ALOAD, 0));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(new MethodInsnNode(INVOKEVIRTUAL, NODE, "made", "()I", false));
        added.add(new FieldInsnNode(PUTFIELD, original.node.name, Fields.MADE, "I"));
        method.instructions.insert(call, added);
    }

    private boolean hasFields() {
        boolean any = false;
        for (FieldNode field : original.node.fields) {
            any |= (field.access & ACC_STATIC) == 0;
        }
        return any && Fields.canGrow(original.node.name);
    }

    private boolean overwritesThis() {
        for (AbstractInsnNode at : method.instructions) {
            if (at instanceof VarInsnNode && ((VarInsnNode) at).var == 0 && at.getOpcode() >= ISTORE && at.getOpcode() <= ASTORE) {
                return true;
            }
        }
        return false;
    }

    /* ---------------------------------------------------------------------------------------- calls -- */

    private void call(MethodInsnNode at) {
        UnsafeCall unsafe = UnsafeCall.of(at, description, location, node, spare);
        if (unsafe != null) {
            before(at, unsafe.before());
            method.instructions.insert(at, unsafe.after());
            return;
        }
        int call = callBy(at);
        if (at.owner.equals("java/lang/System") && at.name.equals("arraycopy")) {
            arraycopy(at);
        } else if (at.owner.startsWith("[") && at.name.equals("clone")) {
            cloning(at, call);
        } else if (memory == null && isCopy(at)) {
            copying(at, call);
        } else if (at.getOpcode() != INVOKEINTERFACE && program.isIntrinsic(at.owner, at.name, at.desc)) {
            at.name = Accesses.copyOf(at.name);
        }
        before(at, here(node, push(call)));
    }

    private void arraycopy(MethodInsnNode at) {
        int first = -1;
        for (char type : COPIED) {
            int load = description.access(location, Description.kind(type));
            description.access(location, Description.kind(type) | Description.STORE);
            first = first < 0 ? load : first;
        }
        int[] loads = {ALOAD, ILOAD, ALOAD, ILOAD, ILOAD}, stores = {ASTORE, ISTORE, ASTORE, ISTORE, ISTORE};
        InsnList added = new InsnList();
        for (int i = 4; i >= 0; i--) {
            added.add(new VarInsnNode(stores[i], spare + i));
        }
        for (int i = 0; i < 5; i++) {
            added.add(new VarInsnNode(loads[i], spare + i));
        }
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(first));
        added.add(new MethodInsnNode(INVOKESTATIC, ARRAYS, "copy", "(" + OBJECT + "I" + OBJECT + "IIL" + NODE + ";I)V", false));
        for (int i = 0; i < 5; i++) {
            added.add(new VarInsnNode(loads[i], spare + i));
        }
        before(at, added);
    }

    private void cloning(MethodInsnNode at, int call) {
        int kind = Description.kind(at.owner.charAt(1));
        int load = description.access(location, kind);
        description.access(location, kind | Description.STORE);
        InsnList kept = new InsnList(), added = new InsnList();
        kept.add(new InsnNode(DUP));
        kept.add(new VarInsnNode(ASTORE, spare));
        before(at, kept);
        added.add(new VarInsnNode(ALOAD, spare));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(load));
        added.add(push(call));
        added.add(push(allocations.ofArray(at)));
        added.add(new MethodInsnNode(INVOKESTATIC, ARRAYS, "cloned", "(" + OBJECT + OBJECT + "L" + NODE + ";III)" + OBJECT, false));
        method.instructions.insert(at, added);
    }

    /** Whether a call is that of Object.clone(), perhaps by another method that has called it before. */
    private static boolean isCopy(MethodInsnNode at) {
        return at.name.equals("clone") && at.desc.equals("()" + OBJECT) && !at.owner.startsWith("[")
            && (at.getOpcode() == INVOKESPECIAL || at.owner.equals("java/lang/Object"));
    }

    private void copying(MethodInsnNode at, int call) {
        InsnList kept = new InsnList(), added = new InsnList();
        kept.add(new InsnNode(DUP));
        kept.add(new VarInsnNode(ASTORE, spare));
        before(at, kept);
        added.add(new InsnNode(DUP));
        added.add(new VarInsnNode(ALOAD, spare));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(push(call));
        added.add(push(allocations.ofCopy(original.node.name)));
        added.add(new MethodInsnNode(INVOKESTATIC, "java/lang/AssayLayout", "copied",
            "(" + OBJECT + OBJECT + "L" + NODE + ";II)V", false));
        method.instructions.insert(at, added);
    }

    /* ---------------------------------------------------------------------------------------- the path -- */

    private static InsnList here(int node, AbstractInsnNode site) {
        InsnList added = new InsnList();
        added.add(new VarInsnNode(ALOAD, node));
        added.add(site);
        added.add(new MethodInsnNode(INVOKEVIRTUAL, NODE, "call", "(I)V", false));
        return added;
    }

    private void passHeaders() {
        for (int i = 0; i < loops.all().size(); i++) {
            before(next((LabelNode) loops.all().get(i).header), memory == null ? pass(i) : memory.pass(i));
        }
    }

    /** At the header of a loop: node.passes[loop] = ++node.thread.time. */
    private InsnList pass(int loop) {
        InsnList added = new InsnList();
        added.add(new VarInsnNode(ALOAD, node));
        added.add(new FieldInsnNode(GETFIELD, NODE, "passes", "[I"));
        added.add(push(loop));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(new FieldInsnNode(GETFIELD, NODE, "thread", "L" + THREAD + ";"));
        added.add(new InsnNode(DUP));
        added.add(new FieldInsnNode(GETFIELD, THREAD, "time", "I"));
        added.add(new InsnNode(ICONST_1));
        added.add(new InsnNode(IADD));
        added.add(new InsnNode(DUP_X1));
        added.add(new FieldInsnNode(PUTFIELD, THREAD, "time", "I"));
        added.add(new InsnNode(IASTORE));
        return added;
    }

    /** Where an exception arrives, the thread is in this method again. */
    private void catchAll() {
        List<LabelNode> done = new ArrayList<>();
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            if (!done.contains(block.handler) && ownEnd(method, block.handler) == null) {
                done.add(block.handler);
                before(next(block.handler), here(node, push(-1)));
            }
        }
    }

    /** The instruction at a label. */
    static AbstractInsnNode next(LabelNode label) {
        AbstractInsnNode at = label;
        while (at != null && at.getOpcode() < 0) {
            at = at.getNext();
        }
        return at;
    }

    /**
     * Where a handler ceases to handle its own exceptions, as compilers make those that leave a monitor, or begin `finally`;
     * null: it never does. The first JIT compiler takes no method in which such code calls another one.
     */
    static LabelNode ownEnd(MethodNode method, LabelNode handler) {
        int at = method.instructions.indexOf(handler);
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            boolean covers = method.instructions.indexOf(block.start) <= at && at < method.instructions.indexOf(block.end);
            if (block.handler == handler && covers) {
                return block.end;
            }
        }
        return null;
    }

    private InsnList begin(String how) {
        boolean calls = description.calls() > 0;
        InsnList added = new InsnList();
        added.add(push(number));
        added.add(push(description.accesses()));
        added.add(new MethodInsnNode(INVOKESTATIC, ACCESS, how, "(II)L" + NODE + ";", false));
        if (calls) {
            added.add(new InsnNode(DUP));
        }
        added.add(new VarInsnNode(ASTORE, node));
        if (calls) {
            added.add(new FieldInsnNode(GETFIELD, NODE, "thread", "L" + THREAD + ";"));
            added.add(new InsnNode(DUP));
            added.add(new FieldInsnNode(GETFIELD, THREAD, "at", "L" + NODE + ";"));
            added.add(new VarInsnNode(ASTORE, caller));
            added.add(new FieldInsnNode(GETFIELD, THREAD, "site", "I"));
            added.add(new VarInsnNode(ISTORE, site));
        }
        added.add(early.begin());
        return added;
    }

    private void widen(FrameNode frame) {
        List<Object> locals = new ArrayList<>(frame.local);
        int slots = 0;
        for (Object local : locals) {
            slots += local == LONG || local == DOUBLE ? 2 : 1;
        }
        for (; slots < node; slots++) {
            locals.add(TOP);
        }
        locals.add(NODE);
        if (description.calls() > 0) {
            locals.add(NODE);
            locals.add(INTEGER);
        } else if (early.end() > node + 3) {
            locals.add(TOP);
            locals.add(TOP);
        }
        early.addTo(locals);
        frame.local = locals;
        nameUnfinished(method, frame);
    }

    /** Gives objects whose constructor has not run the names that frames need. */
    static void nameUnfinished(MethodNode method, FrameNode frame) {
        frame.local = new ArrayList<>(frame.local);
        frame.local.replaceAll(type -> unfinished(method, type));
        frame.stack = new ArrayList<>(frame.stack);
        frame.stack.replaceAll(type -> unfinished(method, type));
    }

    /** Frames name an object whose constructor has not run by the label of its `new`, which nothing must separate. */
    private static Object unfinished(MethodNode method, Object type) {
        if (!(type instanceof LabelNode)) {
            return type;
        }
        AbstractInsnNode at = (LabelNode) type;
        while (at.getOpcode() != NEW) {
            at = at.getNext();
        }
        if (!(at.getPrevious() instanceof LabelNode)) {
            method.instructions.insertBefore(at, new LabelNode());
        }
        return at.getPrevious();
    }

    static AbstractInsnNode push(int value) {
        return value >= -1 && value <= 5 ? new InsnNode(ICONST_0 + value)
            : value >= 0 && value <= Byte.MAX_VALUE ? new IntInsnNode(BIPUSH, value)
            : value >= 0 && value <= Short.MAX_VALUE ? new IntInsnNode(SIPUSH, value) : new LdcInsnNode(value);
    }
}
