package assay.accesses;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A call of a method of Unsafe that accesses memory, and the code that reports it (AssayUnsafe.java). The arguments go
 * through local variables. Values of primitive types are reported as bits, in a long.
 */
final class UnsafeCall implements Opcodes {
    /** How many local variables the reports need. */
    static final int LOCALS = 12;

    private static final String OWNER = "jdk/internal/misc/Unsafe", REPORTS = "java/lang/AssayUnsafe",
        OBJECT = "Ljava/lang/Object;";
    private static final Pattern ONE = Pattern.compile("(get|put|getAndAdd|getAndSet|getAndBitwiseAnd|getAndBitwiseOr"
        + "|getAndBitwiseXor|compareAndSet|weakCompareAndSet|compareAndExchange)"
        + "(Boolean|Byte|Char|Short|Int|Long|Float|Double|Reference|Object|Address)"
        + "(Plain|Opaque|Acquire|Release|Volatile|Unaligned)?");
    private static final int ADDRESS = 1, VALUE = 2, FRESH = 3; // of arguments

    private final String operation; // get, put, …, or of many bytes: setMemory, copyMemory, copySwapMemory
    private final Type type; // of the value; null: many bytes
    private final Type[] arguments;
    private final int[] locals; // of the arguments
    private final int result, node; // local variables
    private final int access, kind;

    private UnsafeCall(MethodInsnNode at, String operation, Type type, Description description, int location, int node,
        int spare) {
        this.operation = operation;
        this.type = type;
        this.node = node;
        arguments = Type.getArgumentTypes(at.desc);
        locals = new int[arguments.length];
        int end = spare;
        for (int i = 0; i < arguments.length; i++) {
            locals[i] = end;
            end += arguments[i].getSize();
        }
        result = end;
        kind = type == null ? 0 : Description.kind(type.getDescriptor().charAt(0));
        access = describe(description, location);
    }

    /** The call; null: it is another method, or accesses nothing. */
    static UnsafeCall of(MethodInsnNode at, Description description, int location, int node, int spare) {
        if (!at.owner.equals(OWNER)) {
            return null;
        }
        if (at.name.equals("setMemory") || at.name.equals("copyMemory") || at.name.equals("copySwapMemory")) {
            return new UnsafeCall(at, at.name, null, description, location, node, spare);
        }
        Matcher name = ONE.matcher(at.name);
        return !name.matches() ? null
            : new UnsafeCall(at, name.group(1), typeOf(name.group(2)), description, location, node, spare);
    }

    private static Type typeOf(String name) {
        switch (name) {
        case "Boolean": return Type.BOOLEAN_TYPE;
        case "Byte": return Type.BYTE_TYPE;
        case "Char": return Type.CHAR_TYPE;
        case "Short": return Type.SHORT_TYPE;
        case "Int": return Type.INT_TYPE;
        case "Long": case "Address": return Type.LONG_TYPE;
        case "Float": return Type.FLOAT_TYPE;
        case "Double": return Type.DOUBLE_TYPE;
        default: return Type.getType(OBJECT);
        }
    }

    /** Whether it can access no place of Java: memory at an address, or many bytes. */
    private boolean isElsewhere() {
        return type == null || arguments[0].equals(Type.LONG_TYPE);
    }

    /** Adds a load, a store, or a load that a store follows; the number of the first. */
    private int describe(Description description, int location) {
        if (operation.equals("put")) {
            return description.access(location, kind | Description.STORE);
        }
        int load = description.access(location, kind);
        if (!operation.equals("get")) {
            description.access(location, kind | Description.STORE);
        }
        return load;
    }

    /** For before the call. */
    InsnList before() {
        InsnList code = new InsnList();
        for (int i = arguments.length - 1; i >= 0; i--) {
            code.add(new VarInsnNode(arguments[i].getOpcode(ISTORE), locals[i]));
        }
        if (isElsewhere()) {
            elsewhere(code);
        } else if (operation.equals("put")) {
            argument(code, VALUE);
            ordered(code);
            bits(code);
            report(code, "stored", values(1));
        }
        for (int i = 0; i < arguments.length; i++) {
            argument(code, i);
        }
        return code;
    }

    /** For after the call. */
    InsnList after() {
        InsnList code = new InsnList();
        if (isElsewhere() || operation.equals("put")) {
            return code;
        }
        boolean done = operation.equals("compareAndSet") || operation.equals("weakCompareAndSet");
        code.add(new InsnNode(!done && type.getSize() == 2 ? DUP2 : DUP));
        if (operation.equals("get")) {
            ordered(code);
            bits(code);
            report(code, "loaded", values(1));
        } else if (operation.startsWith("getAnd")) {
            exchanged(code);
        } else {
            if (!done) {
                bits(code);
            }
            argument(code, VALUE);
            bits(code);
            argument(code, FRESH);
            bits(code);
            report(code, "compared", (done ? "Z" : values(1)) + values(2));
        }
        return code;
    }

    private void argument(InsnList code, int number) {
        code.add(new VarInsnNode(arguments[number].getOpcode(ILOAD), locals[number]));
    }

    private String values(int count) {
        return (isReference() ? OBJECT : "J").repeat(count);
    }

    private boolean isReference() {
        return type.getSort() == Type.OBJECT;
    }

    /** If the last argument says in which order the bytes are, the value on the stack gets them as they are in memory. */
    private void ordered(InsnList code) {
        int last = arguments.length - 1;
        if (arguments[last].equals(Type.BOOLEAN_TYPE) && last == (operation.equals("put") ? VALUE : ADDRESS) + 1) {
            argument(code, last);
            code.add(new MethodInsnNode(INVOKESTATIC, REPORTS, "ordered", "(" + type + "Z)" + type, false));
        }
    }

    /** From a value on the stack to its bits. */
    private void bits(InsnList code) {
        switch (type.getSort()) {
        case Type.OBJECT: case Type.LONG:
            return;
        case Type.DOUBLE:
            code.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Double", "doubleToRawLongBits", "(D)J", false));
            return;
        case Type.FLOAT:
            code.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Float", "floatToRawIntBits", "(F)I", false));
            code.add(new InsnNode(I2L));
            return;
        default:
            code.add(new InsnNode(I2L));
        }
    }

    /** The result, which is on the stack, is the old value. */
    private void exchanged(InsnList code) {
        code.add(new VarInsnNode(type.getOpcode(ISTORE), result));
        code.add(new VarInsnNode(type.getOpcode(ILOAD), result));
        bits(code);
        if (!operation.equals("getAndSet")) {
            code.add(new VarInsnNode(type.getOpcode(ILOAD), result));
        }
        argument(code, VALUE);
        if (!operation.equals("getAndSet")) {
            code.add(new InsnNode(type.getOpcode(combining())));
            narrow(code);
        }
        bits(code);
        report(code, "exchanged", values(2));
    }

    private int combining() {
        switch (operation) {
        case "getAndAdd": return IADD;
        case "getAndBitwiseAnd": return IAND;
        case "getAndBitwiseOr": return IOR;
        default: return IXOR;
        }
    }

    private void narrow(InsnList code) {
        switch (type.getSort()) {
        case Type.BYTE: code.add(new InsnNode(I2B)); break;
        case Type.CHAR: code.add(new InsnNode(I2C)); break;
        case Type.SHORT: code.add(new InsnNode(I2S)); break;
        default: break;
        }
    }

    /** Calls what reports the values that are on the stack. */
    private void report(InsnList code, String method, String values) {
        argument(code, 0);
        argument(code, ADDRESS);
        code.add(new VarInsnNode(ALOAD, node));
        code.add(Probes.push(access));
        code.add(Probes.push(kind));
        String descriptor = "(" + values + OBJECT + "JL" + Fields.NODE + ";II)V";
        code.add(new MethodInsnNode(INVOKESTATIC, REPORTS, method, descriptor, false));
    }

    private void elsewhere(InsnList code) {
        if (type == null) {
            argument(code, arguments.length - (operation.equals("copyMemory") ? 1 : 2));
        } else {
            code.add(Probes.push(1 << kind % Description.FLOATING));
            code.add(new InsnNode(I2L));
        }
        code.add(new VarInsnNode(ALOAD, node));
        String method = operation.startsWith("copy") ? "copied" : "elsewhere";
        code.add(new MethodInsnNode(INVOKESTATIC, REPORTS, method, "(JL" + Fields.NODE + ";)V", false));
    }
}
