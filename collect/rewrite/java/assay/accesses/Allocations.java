package assay.accesses;

import java.util.LinkedHashMap;
import java.util.Map;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * The types that a class allocates without a call of a constructor: arrays, and copies of objects. Each has a number like
 * a method, which stands for the allocation.
 */
final class Allocations {
    private static final String[] PRIMITIVE = {"boolean", "char", "float", "double", "byte", "short", "int", "long"};
    private static final int FIRST_PRIMITIVE = 4; // operand of newarray

    private final Program program;
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    Allocations(Program program) {
        this.program = program;
    }

    /** The number for the array that an instruction allocates, or clones. */
    int ofArray(AbstractInsnNode at) {
        return of(typeOf(at));
    }

    /** The number for a copy of an object of a class. */
    int ofCopy(String owner) {
        return of(owner.replace('/', '.'));
    }

    private int of(String type) {
        return numbers.computeIfAbsent(type, key -> program.reserve());
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

    /** Describes them to the agent, once the class has been written. */
    void define() {
        numbers.forEach((type, number) -> program.define(number, Description.ofAllocation(type)));
    }
}
