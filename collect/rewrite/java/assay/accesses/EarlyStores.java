package assay.accesses;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * Stores of a constructor into its own object before it calls another constructor for it. The JVM lets code store into
 * fields of such an object, but neither load them nor pass the object: so local variables keep each field's value, and
 * its last store.
 */
final class EarlyStores implements Opcodes {
    private final ClassNode owner;
    private final MethodNode method;
    private final int node; // local variable
    private final Set<AbstractInsnNode> stores = new HashSet<>();
    private final Map<String, Integer> locals = new LinkedHashMap<>(); // of the last store of a field; then its value
    private final Map<String, String> descriptors = new HashMap<>();
    private int end;

    private final boolean bursts;

    /** Takes local variables from `begin` on. */
    EarlyStores(ClassNode owner, MethodNode method, int node, int begin, boolean bursts) {
        this.owner = owner;
        this.method = method;
        this.node = node;
        end = begin;
        this.bursts = bursts;
        if (method.name.equals("<init>")) {
            find();
        }
    }

    private void find() {
        AbstractInsnNode call = constructorCall(method);
        boolean candidates = false;
        for (AbstractInsnNode at = method.instructions.getFirst(); at != call && !candidates; at = at.getNext()) {
            candidates = isCandidate(at);
        }
        if (!candidates) {
            return;
        }
        Frame<BasicValue>[] frames = analyze();
        int number = 0;
        for (AbstractInsnNode at = method.instructions.getFirst(); at != call; at = at.getNext(), number++) {
            if (isCandidate(at) && frames[number] != null
                && frames[number].getStack(frames[number].getStackSize() - 2) == Own.OBJECT) {
                add((FieldInsnNode) at);
            }
        }
    }

    private boolean isCandidate(AbstractInsnNode at) {
        return at.getOpcode() == PUTFIELD && ((FieldInsnNode) at).owner.equals(owner.name);
    }

    /** The call of another constructor for the same object; null: there is none. */
    static AbstractInsnNode constructorCall(MethodNode method) {
        int unfinished = 0;
        for (AbstractInsnNode at : method.instructions) {
            if (at.getOpcode() == NEW) {
                unfinished++;
            } else if (at.getOpcode() == INVOKESPECIAL && ((MethodInsnNode) at).name.equals("<init>") && unfinished-- == 0) {
                return at;
            }
        }
        return null;
    }

    /** Distinguishes the constructor's own object from all others. */
    private static final class Own extends BasicInterpreter {
        static final BasicValue OBJECT = new BasicValue(Type.getObjectType("own"));

        Own() {
            super(ASM9);
        }

        @Override
        public BasicValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
            return local == 0 ? OBJECT : super.newParameterValue(isInstanceMethod, local, type);
        }
    }

    private Frame<BasicValue>[] analyze() {
        try {
            return new Analyzer<>(new Own()).analyze(owner.name, method);
        } catch (AnalyzerException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }

    private void add(FieldInsnNode at) {
        stores.add(at);
        String key = at.name + '\0' + at.desc;
        if (locals.putIfAbsent(key, end) == null) {
            descriptors.put(key, at.desc);
            end += 2 + Type.getType(at.desc).getSize();
        }
    }

    /** The first local variable that is free. */
    int end() {
        return end;
    }

    /** The local variable, a long, that keeps the last store of a field. */
    int local(FieldInsnNode at) {
        return locals.get(at.name + '\0' + at.desc);
    }

    /** The one that keeps its value. */
    int valueLocal(FieldInsnNode at) {
        return local(at) + 2;
    }

    boolean has(AbstractInsnNode at) {
        return stores.contains(at);
    }

    private static int zero(String descriptor) {
        switch (descriptor.charAt(0)) {
        case 'J': return LCONST_0;
        case 'F': return FCONST_0;
        case 'D': return DCONST_0;
        case 'L': case '[': return ACONST_NULL;
        default: return ICONST_0;
        }
    }

    /** For the beginning of the method. */
    InsnList begin() {
        InsnList added = new InsnList();
        locals.forEach((key, local) -> {
            String descriptor = descriptors.get(key);
            added.add(new InsnNode(LCONST_0));
            if (bursts) {
                added.add(new MethodInsnNode(INVOKESTATIC, Fields.BURSTS, "fresh", "(J)J", false));
            }
            added.add(new VarInsnNode(LSTORE, local));
            added.add(new InsnNode(zero(descriptor)));
            added.add(new VarInsnNode(Type.getType(descriptor).getOpcode(ISTORE), local + 2)); // valueLocal()
        });
        return added;
    }

    /** Adds the types of the local variables to those of a frame. */
    void addTo(List<Object> types) {
        for (String key : locals.keySet()) {
            String compared = Fields.compared(descriptors.get(key));
            types.add(LONG);
            types.add(compared.equals("J") ? LONG : compared.equals("D") ? DOUBLE : compared.equals("F") ? FLOAT
                : compared.equals("I") ? INTEGER : (Object) "java/lang/Object");
        }
    }

    /** For before a store: what reports it. The value goes through a local variable. */
    InsnList report(FieldInsnNode at, AbstractInsnNode access, int spare) {
        int last = local(at), value = valueLocal(at);
        boolean reference = Fields.isReference(at.desc);
        String type = Fields.compared(at.desc);
        int load = Type.getType(at.desc).getOpcode(ILOAD), store = Type.getType(at.desc).getOpcode(ISTORE);
        InsnList added = new InsnList();
        added.add(new VarInsnNode(store, spare));
        added.add(new InsnNode(DUP));
        added.add(new VarInsnNode(ALOAD, node));
        added.add(new VarInsnNode(LLOAD, last));
        added.add(access);
        added.add(new VarInsnNode(load, spare));
        added.add(new VarInsnNode(load, value));
        added.add(new MethodInsnNode(INVOKESTATIC, Fields.ACCESS, reference ? "equal" : "same", "(" + type + type + ")Z", false));
        if (reference) {
            added.add(new FieldInsnNode(GETSTATIC, Fields.ACCESS, "references", "I"));
        } else {
            added.add(new LdcInsnNode(Description.kind(at.desc.charAt(0))));
        }
        added.add(new LdcInsnNode(Description.STORE));
        added.add(new InsnNode(IOR));
        added.add(new MethodInsnNode(INVOKEVIRTUAL, Fields.NODE, "storedEarly", "(JIZI)J", false));
        added.add(new InsnNode(DUP2));
        added.add(new VarInsnNode(LSTORE, last));
        added.add(new FieldInsnNode(PUTFIELD, owner.name, Fields.lastStore(at.name, at.desc), "J"));
        added.add(new VarInsnNode(load, spare));
        added.add(new VarInsnNode(store, value));
        added.add(new VarInsnNode(load, spare));
        return added;
    }
}
