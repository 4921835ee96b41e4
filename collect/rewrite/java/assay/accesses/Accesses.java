package assay.accesses;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Rewrites a class, so that it reports its accesses. */
final class Accesses implements Opcodes {
    private static final String CANDIDATE = "Ljdk/internal/vm/annotation/IntrinsicCandidate;",
        CALLER = "Ljdk/internal/reflect/CallerSensitive;";
    private static final int MOST_LOCALS = 65535; // of which probes need some

    private Accesses() {
    }

    /** Classes that the probes themselves need, or whose fields the JVM treats as its own. */
    static boolean isLeftAlone(String name) {
        return name.startsWith("java/lang/Assay") || name.startsWith("assay/accesses/") || name.equals("java/lang/Object")
            || name.startsWith("java/lang/ref/") || name.startsWith("jdk/internal/ref/")
            || name.startsWith("jdk/internal/vm/") || name.startsWith("jdk/internal/misc/Unsafe");
    }

    /** The name of a method's copy that the JIT compilers do not know. */
    static String copyOf(String intrinsic) {
        return "assay$i$" + intrinsic;
    }

    private static boolean has(MethodNode method, String annotation) {
        if (method.visibleAnnotations != null) {
            for (AnnotationNode each : method.visibleAnnotations) {
                if (each.desc.equals(annotation)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether a method gets a copy: the JIT compilers may replace its calls, and no subclass can override it. The code that
     * replaces those of Math has other results in the last digit, and the JVM knows methods that look for their callers.
     */
    static boolean hasCopy(ClassNode owner, MethodNode method) {
        boolean last = (owner.access & ACC_FINAL) != 0 || (method.access & (ACC_FINAL | ACC_STATIC | ACC_PRIVATE)) != 0;
        return last && has(method, CANDIDATE) && !has(method, CALLER) && !owner.name.equals("java/lang/Math")
            && (method.access & (ACC_NATIVE | ACC_ABSTRACT)) == 0 && !method.name.startsWith("<");
    }

    /** The class with probes. Methods that would become too large stay as they are. */
    static byte[] rewrite(byte[] bytes, Program program) {
        Set<String> without = new HashSet<>();
        while (true) {
            try {
                return attempt(new Original(bytes), program, without);
            } catch (MethodTooLargeException large) {
                String method = large.getMethodName() + large.getDescriptor();
                if (!without.add(method)) {
                    throw large;
                }
                program.skipped(large.getClassName().replace('/', '.') + "." + large.getMethodName(), "too large");
            }
        }
    }

    private static byte[] attempt(Original original, Program program, Set<String> without) {
        ClassNode node = original.node;
        List<MethodNode> methods = new ArrayList<>(node.methods);
        List<Probes> done = new ArrayList<>();
        Allocations allocations = new Allocations(program);
        for (int i = 0; i < methods.size(); i++) {
            MethodNode method = methods.get(i), target = method;
            if (has(method, CANDIDATE)) {
                if (!hasCopy(node, method)) {
                    continue;
                }
                target = copy(method);
                node.methods.add(target);
            }
            if (target.instructions.size() > 0 && !without.contains(target.name + target.desc)) {
                Bodies bodies = program.hasBursts() && target == method ? new Bodies(node.name, original.major, method) : null;
                MethodNode probed = bodies != null ? bodies.copy : target;
                Probes probes = new Probes(original, original.locations.get(i), probed, method.name, program, allocations);
                if (probes.locals() > MOST_LOCALS) {
                    throw new MethodTooLargeException(node.name, target.name, target.desc, 0);
                }
                if (probes.insert()) {
                    done.add(probes);
                    if (bodies != null) {
                        bodies.join(probes);
                    }
                }
            }
        }
        complete(original, program);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        byte[] bytes = original.withOwnMajor(writer.toByteArray());
        for (Probes probes : done) {
            probes.define();
        }
        allocations.define();
        return bytes;
    }

    /** What a class needs besides probes. */
    private static void complete(Original original, Program program) {
        ClassNode node = original.node;
        if (!program.hasMemory() && (node.access & ACC_INTERFACE) == 0 && Fields.canGrow(node.name)) {
            Fields.addTo(node, original.major, program.hasBursts());
        }
        if (node.name.equals("java/lang/StackTraceElement")) {
            hideCopies(node);
        }
        if (node.name.equals("java/lang/Class")) {
            hideMembers(node);
        }
        if (node.name.equals("java/lang/Class") && !program.hasMemory()) {
            node.fields.add(new FieldNode(ACC_PRIVATE | ACC_TRANSIENT | ACC_SYNTHETIC, "assay$layout", "Ljava/lang/Object;", null, null));
        }
        if (node.name.equals("java/lang/Thread")) {
            int access = ACC_PRIVATE | ACC_TRANSIENT | ACC_SYNTHETIC;
            node.fields.add(new FieldNode(access, "assay$thread", "Ljava/lang/Object;", null, null));
            node.fields.add(new FieldNode(access, "assay$aside", "Ljava/lang/Object;", null, null));
        }
    }

    /** Reflection does not see what is added. */
    private static void hideMembers(ClassNode reflection) {
        for (MethodNode method : reflection.methods) {
            for (AbstractInsnNode at : method.instructions.toArray()) {
                String name = at instanceof MethodInsnNode ? ((MethodInsnNode) at).name : "";
                if (name.equals("getDeclaredFields0") || name.equals("getDeclaredMethods0")) {
                    String type = Type.getReturnType(((MethodInsnNode) at).desc).getDescriptor();
                    method.instructions.insert(at,
                        new MethodInsnNode(INVOKESTATIC, Fields.ACCESS, "visible", "(" + type + ")" + type, false));
                }
            }
        }
    }

    /** In stack traces copies have the names of the methods that they stand for. */
    private static void hideCopies(ClassNode element) {
        for (MethodNode method : element.methods) {
            if (method.name.equals("computeFormat")) { // which the JDK calls for each new element
                InsnList added = new InsnList();
                added.add(new VarInsnNode(ALOAD, 0));
                added.add(new InsnNode(DUP));
                added.add(new FieldInsnNode(GETFIELD, element.name, "methodName", "Ljava/lang/String;"));
                added.add(new MethodInsnNode(INVOKESTATIC, Fields.ACCESS, "plain",
                    "(Ljava/lang/String;)Ljava/lang/String;", false));
                added.add(new FieldInsnNode(PUTFIELD, element.name, "methodName", "Ljava/lang/String;"));
                method.instructions.insert(added);
            }
        }
    }

    private static MethodNode copy(MethodNode method) {
        MethodNode copy = new MethodNode(ASM9, method.access | ACC_SYNTHETIC, copyOf(method.name), method.desc, null, null);
        method.accept(copy);
        copy.visibleAnnotations.removeIf(each -> each.desc.equals(CANDIDATE));
        return copy;
    }
}
