package assay.accesses;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The probes of mode memory: after each access they report the object, the place in it and the value (AssayMemory.java), and
 * at the header of each loop that it begins or iterates. An access that throws an exception has not happened.
 */
final class MemoryProbes implements Opcodes {
    private static final String MEMORY = "java/lang/AssayMemory", OBJECT = "Ljava/lang/Object;";
    private static final int ELEMENTS = 8; // instructions for loads, and as many for stores
    private static final String TYPES = "IJFDLBCS"; // in their order

    private final MethodNode method;
    private final Program program;
    private final Description description;
    private final EarlyStores early;
    private final int node, spare; // local variables
    private final Map<String, FieldInsnNode> fields = new HashMap<>(); // that are stored into early

    MemoryProbes(MethodNode method, Program program, Description description, EarlyStores early, int node, int spare) {
        this.method = method;
        this.program = program;
        this.description = description;
        this.early = early;
        this.node = node;
        this.spare = spare;
    }

    void field(FieldInsnNode at, int location) {
        boolean store = at.getOpcode() == PUTFIELD, wide = Type.getType(at.desc).getSize() == 2;
        InsnList before = new InsnList(), after = new InsnList();
        if (early.has(at)) {
            keep(at, location);
            return;
        }
        if (store && wide) {
            putAside(before, at.desc, DUP);
            load(after, at.desc);
        } else if (store) {
            before.add(new InsnNode(DUP2));
        } else {
            before.add(new InsnNode(DUP));
            after.add(new InsnNode(wide ? DUP2_X1 : DUP_X1));
        }
        bits(after, at.desc.charAt(0));
        report(after, "field", OBJECT + value(at.desc), push(at.desc, store, location), reference(at));
        around(at, before, after);
    }

    void staticField(FieldInsnNode at, int location) {
        boolean store = at.getOpcode() == PUTSTATIC;
        InsnList before = new InsnList(), after = new InsnList();
        (store ? before : after).add(new InsnNode(Type.getType(at.desc).getSize() == 2 ? DUP2 : DUP));
        bits(after, at.desc.charAt(0));
        report(after, "fixed", value(at.desc), push(at.desc, store, location), reference(at));
        around(at, before, after);
    }

    /** A load or a store of an array's element. */
    void element(AbstractInsnNode at, int location) {
        boolean store = at.getOpcode() >= IASTORE;
        char type = TYPES.charAt((at.getOpcode() - (store ? IASTORE : IALOAD)) % ELEMENTS);
        String descriptor = type == 'L' ? OBJECT : String.valueOf(type);
        InsnList before = new InsnList(), after = new InsnList();
        if (store) {
            putAside(before, descriptor, DUP2);
            load(after, descriptor);
        } else {
            before.add(new InsnNode(DUP2));
            after.add(new InsnNode(Type.getType(descriptor).getSize() == 2 ? DUP2_X2 : DUP_X2));
        }
        bits(after, type);
        String size = type == 'L' ? "" : String.valueOf(1 << Description.kind(type) % Description.FLOATING);
        report(after, "element" + size, OBJECT + "I" + value(descriptor), push(descriptor, store, location), null);
        around(at, before, after);
    }

    /** At the header of a loop. Loops are numbered behind the method's accesses, all of which have been described. */
    InsnList pass(int loop) {
        InsnList added = new InsnList();
        added.add(new VarInsnNode(ALOAD, node));
        added.add(Probes.push(description.accesses() + loop));
        added.add(new MethodInsnNode(INVOKESTATIC, MEMORY, "pass", "(L" + Fields.NODE + ";I)V", false));
        return added;
    }

    /* ---------------------------------------------------------------------------------------- early stores -- */

    /** A store before the call of another constructor: its object can't be passed yet. */
    private void keep(FieldInsnNode at, int location) {
        int last = early.local(at), kind = Description.kind(at.desc.charAt(0)) | Description.STORE;
        InsnList before = new InsnList();
        before.add(new InsnNode(Type.getType(at.desc).getSize() == 2 ? DUP2 : DUP));
        before.add(new VarInsnNode(Type.getType(at.desc).getOpcode(ISTORE), early.valueLocal(at)));
        before.add(Probes.push(description.access(location, kind) + 1));
        before.add(new InsnNode(I2L));
        before.add(new VarInsnNode(LSTORE, last));
        method.instructions.insertBefore(at, before);
        fields.put(at.name + at.desc, at);
    }

    /** After the call: the last of these stores into each field. */
    void reportEarly() {
        AbstractInsnNode call = fields.isEmpty() ? null : EarlyStores.constructorCall(method);
        if (call == null) {
            return;
        }
        InsnList after = new InsnList();
        for (FieldInsnNode at : fields.values()) {
            after.add(new VarInsnNode(LLOAD, early.local(at)));
            after.add(new InsnNode(L2I));
            after.add(new VarInsnNode(ISTORE, spare));
            after.add(new VarInsnNode(ALOAD, 0));
            after.add(new VarInsnNode(Type.getType(at.desc).getOpcode(ILOAD), early.valueLocal(at)));
            bits(after, at.desc.charAt(0));
            report(after, "early", OBJECT + value(at.desc), new VarInsnNode(ILOAD, spare), reference(at));
        }
        method.instructions.insert(call, after);
    }

    /* ---------------------------------------------------------------------------------------- code -- */

    private void around(AbstractInsnNode at, InsnList before, InsnList after) {
        method.instructions.insertBefore(at, before);
        method.instructions.insert(at, after);
    }

    /** Copies what is below a value. */
    private void putAside(InsnList code, String descriptor, int copy) {
        code.add(new VarInsnNode(Type.getType(descriptor).getOpcode(ISTORE), spare));
        code.add(new InsnNode(copy));
        load(code, descriptor);
    }

    private void load(InsnList code, String descriptor) {
        code.add(new VarInsnNode(Type.getType(descriptor).getOpcode(ILOAD), spare));
    }

    private AbstractInsnNode push(String descriptor, boolean store, int location) {
        int kind = Description.kind(descriptor.charAt(0)) | (store ? Description.STORE : 0);
        return Probes.push(description.access(location, kind));
    }

    private AbstractInsnNode reference(FieldInsnNode at) {
        return Probes.push(program.reference(at.owner, at.name, at.desc));
    }

    private static String value(String descriptor) {
        return Fields.isReference(descriptor) ? OBJECT : "J";
    }

    /** From a value on the stack to its bits, as a long; references stay. */
    private static void bits(InsnList code, char type) {
        switch (type) {
        case 'J': case 'L': case '[':
            return;
        case 'D':
            code.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Double", "doubleToRawLongBits", "(D)J", false));
            return;
        case 'F':
            code.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Float", "floatToRawIntBits", "(F)I", false));
            break;
        case 'Z':
            code.add(new InsnNode(ICONST_1));
            code.add(new InsnNode(IAND));
            break;
        case 'B':
            code.add(new IntInsnNode(SIPUSH, 0xff));
            code.add(new InsnNode(IAND));
            break;
        case 'C': case 'S':
            code.add(new InsnNode(I2C));
            break;
        default:
        }
        code.add(new InsnNode(I2L));
        if (type == 'I' || type == 'F') {
            code.add(new LdcInsnNode(0xffffffffL));
            code.add(new InsnNode(LAND));
        }
    }

    private void report(InsnList code, String how, String values, AbstractInsnNode access, AbstractInsnNode reference) {
        code.add(new VarInsnNode(ALOAD, node));
        code.add(access);
        if (reference != null) {
            code.add(reference);
        }
        String descriptor = "(" + values + "L" + Fields.NODE + ";I" + (reference == null ? "" : "I") + ")V";
        code.add(new MethodInsnNode(INVOKESTATIC, MEMORY, how, descriptor, false));
    }
}
