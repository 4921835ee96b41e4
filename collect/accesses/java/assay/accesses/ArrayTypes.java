package assay.accesses;

import java.util.LinkedHashMap;
import java.util.Map;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** The types of arrays that a class allocates. Each has a number like a method, which stands for the allocation. */
final class ArrayTypes {
    private static final String[] PRIMITIVE = {"boolean", "char", "float", "double", "byte", "short", "int", "long"};
    private static final int FIRST_PRIMITIVE = 4; // operand of newarray

    private final Program program;
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    ArrayTypes(Program program) {
        this.program = program;
    }

    /** The number for what an instruction allocates, or clones. */
    int number(AbstractInsnNode at) {
        return numbers.computeIfAbsent(typeOf(at), type -> program.reserve());
    }

    private static String typeOf(AbstractInsnNode at) {
        if (at instanceof IntInsnNode) {
            return PRIMITIVE[((IntInsnNode) at).operand - FIRST_PRIMITIVE] + "[]";
        }
        if (at instanceof TypeInsnNode) {
            return Type.getObjectType(((TypeInsnNode) at).desc).getClassName() + "[]";
        }
        return Type.getType(at instanceof MethodInsnNode ? ((MethodInsnNode) at).owner
            : ((MultiANewArrayInsnNode) at).desc).getClassName();
    }

    /** Tells the agent about them, once the class has been written. */
    void define() {
        numbers.forEach((type, number) -> program.define(number, Description.ofArray(type)));
    }
}
