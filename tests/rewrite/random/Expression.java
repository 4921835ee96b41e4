import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;

/** Code that leaves a value, and what the value is. */
abstract class Expression implements Opcodes {
    abstract Object value(Model.Frame frame);

    abstract void emit(Code code);

    static Model.Array array(Object value) {
        if (value == null) {
            throw new Model.Thrown("NullPointerException");
        }
        return (Model.Array) value;
    }

    static Model.Place element(Object array, Object index) {
        Model.Array of = array(array);
        int at = (Integer) index;
        if (at < 0 || at >= of.elements.length) {
            throw new Model.Thrown("ArrayIndexOutOfBoundsException");
        }
        return of.elements[at];
    }

    /** The type of element that the instructions tell apart, for Type.getOpcode(). */
    static org.objectweb.asm.Type element(String array) {
        return Code.type(array.substring(1));
    }
}

final class Constant extends Expression {
    private final String descriptor;
    private final Object value;

    Constant(String descriptor, Object value) {
        this.descriptor = descriptor;
        this.value = value;
    }

    @Override
    Object value(Model.Frame frame) {
        return value;
    }

    @Override
    void emit(Code code) {
        code.constant(descriptor, value);
    }
}

final class Local extends Expression {
    private final int number;

    Local(int number) {
        this.number = number;
    }

    @Override
    Object value(Model.Frame frame) {
        return frame.locals[number];
    }

    @Override
    void emit(Code code) {
        code.load(number);
    }
}

/** A load of a field; of a static one if there is no object. */
final class FieldLoad extends Expression {
    private final Expression object;
    private final Type via;
    private final Field field;
    private final int line;

    FieldLoad(Expression object, Type via, Field field, int line) {
        this.object = object;
        this.via = via;
        this.field = field;
        this.line = line;
    }

    @Override
    Object value(Model.Frame frame) {
        if (object == null) {
            frame.model.initialize(field.owner, frame.path, line);
            return frame.model.load(frame.model.field(field), frame.path, line);
        }
        return frame.model.load(frame.model.field(object.value(frame), field), frame.path, line);
    }

    @Override
    void emit(Code code) {
        if (object != null) {
            object.emit(code);
        }
        code.line(line);
        code.to.visitFieldInsn(object == null ? GETSTATIC : GETFIELD, via.name, field.name, field.descriptor);
    }
}

final class ElementLoad extends Expression {
    private final Expression array, index;
    private final String descriptor;
    private final int line;

    ElementLoad(Expression array, String descriptor, Expression index, int line) {
        this.array = array;
        this.descriptor = descriptor;
        this.index = index;
        this.line = line;
    }

    @Override
    Object value(Model.Frame frame) {
        Object of = array.value(frame);
        return frame.model.load(element(of, index.value(frame)), frame.path, line);
    }

    @Override
    void emit(Code code) {
        array.emit(code);
        index.emit(code);
        code.line(line);
        code.to.visitInsn(element(descriptor).getOpcode(IALOAD));
    }
}

/** Addition, subtraction or multiplication; of ints also & and ^. */
final class Arithmetic extends Expression {
    private final String descriptor;
    private final char operation;
    private final Expression left, right;

    Arithmetic(String descriptor, char operation, Expression left, Expression right) {
        this.descriptor = descriptor;
        this.operation = operation;
        this.left = left;
        this.right = right;
    }

    @Override
    Object value(Model.Frame frame) {
        Object a = left.value(frame), b = right.value(frame);
        switch (descriptor) {
        case "I": return calculate((Integer) a, (Integer) b);
        case "J": return operation == '+' ? (Long) a + (Long) b : operation == '-' ? (Long) a - (Long) b : (Long) a * (Long) b;
        case "F": return operation == '+' ? (Float) a + (Float) b : operation == '-' ? (Float) a - (Float) b : (Float) a * (Float) b;
        default: return operation == '+' ? (Double) a + (Double) b : operation == '-' ? (Double) a - (Double) b : (Double) a * (Double) b;
        }
    }

    private int calculate(int a, int b) {
        switch (operation) {
        case '+': return a + b;
        case '-': return a - b;
        case '*': return a * b;
        case '&': return a & b;
        default: return a ^ b;
        }
    }

    @Override
    void emit(Code code) {
        left.emit(code);
        right.emit(code);
        int opcode = operation == '+' ? IADD : operation == '-' ? ISUB : operation == '*' ? IMUL : operation == '&' ? IAND : IXOR;
        code.to.visitInsn(Code.type(descriptor).getOpcode(opcode));
    }
}

/** An int cut to what a place of a type holds. */
final class Narrowed extends Expression {
    private final String descriptor;
    private final Expression value;

    Narrowed(String descriptor, Expression value) {
        this.descriptor = descriptor;
        this.value = value;
    }

    @Override
    Object value(Model.Frame frame) {
        return Values.narrow(descriptor, value.value(frame));
    }

    @Override
    void emit(Code code) {
        value.emit(code);
        switch (descriptor) {
        case "Z":
            code.to.visitInsn(ICONST_1);
            code.to.visitInsn(IAND);
            break;
        case "B": code.to.visitInsn(I2B); break;
        case "C": code.to.visitInsn(I2C); break;
        case "S": code.to.visitInsn(I2S); break;
        default:
        }
    }
}

/** One of two values of the same type, by whether an int is positive. */
final class Choice extends Expression {
    private final Expression condition, positive, other;

    Choice(Expression condition, Expression positive, Expression other) {
        this.condition = condition;
        this.positive = positive;
        this.other = other;
    }

    @Override
    Object value(Model.Frame frame) {
        return ((Integer) condition.value(frame) > 0 ? positive : other).value(frame);
    }

    @Override
    void emit(Code code) {
        Label otherwise = new Label(), end = new Label();
        condition.emit(code);
        code.to.visitJumpInsn(IFLE, otherwise);
        positive.emit(code);
        code.to.visitJumpInsn(GOTO, end);
        code.to.visitLabel(otherwise);
        other.emit(code);
        code.to.visitLabel(end);
    }
}

/** A reference, or another one if it is null. */
final class OrElse extends Expression {
    private final Expression reference, other;

    OrElse(Expression reference, Expression other) {
        this.reference = reference;
        this.other = other;
    }

    @Override
    Object value(Model.Frame frame) {
        Object value = reference.value(frame);
        return value != null ? value : other.value(frame);
    }

    @Override
    void emit(Code code) {
        Label end = new Label();
        reference.emit(code);
        code.to.visitInsn(DUP);
        code.to.visitJumpInsn(IFNONNULL, end);
        code.to.visitInsn(POP);
        other.emit(code);
        code.to.visitLabel(end);
    }
}

final class Cast extends Expression {
    private final Expression value;
    private final String descriptor;

    Cast(Expression value, String descriptor) {
        this.value = value;
        this.descriptor = descriptor;
    }

    @Override
    Object value(Model.Frame frame) {
        Object now = value.value(frame);
        if (!frame.model.isInstance(now, descriptor)) {
            throw new Model.Thrown("ClassCastException");
        }
        return now;
    }

    @Override
    void emit(Code code) {
        value.emit(code);
        code.to.visitTypeInsn(CHECKCAST, Code.internalName(descriptor));
    }
}

/** A call. The last argument is how deep it may still call. */
final class Call extends Expression {
    private final int opcode;
    private final Method method;
    private final Expression[] arguments; // with the object
    private final int line;

    Call(int opcode, Method method, Expression[] arguments, int line) {
        this.opcode = opcode;
        this.method = method;
        this.arguments = arguments;
        this.line = line;
    }

    @Override
    Object value(Model.Frame frame) {
        Object[] values = new Object[arguments.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].value(frame);
        }
        if (opcode == INVOKESTATIC) {
            frame.model.initialize(method.owner, frame.path, line);
        } else if (values[0] == null) {
            throw new Model.Thrown("NullPointerException");
        }
        boolean selects = opcode == INVOKEVIRTUAL || opcode == INVOKEINTERFACE;
        Method reached = selects ? ((Model.Instance) values[0]).type.select(method) : method;
        return frame.model.call(reached, frame.path, line, values);
    }

    @Override
    void emit(Code code) {
        for (Expression each : arguments) {
            each.emit(code);
        }
        code.line(line);
        code.to.visitMethodInsn(opcode, method.owner.name, method.name, method.descriptor(), opcode == INVOKEINTERFACE);
    }
}

final class NewObject extends Expression {
    private final Type type;
    private final Expression argument, depth;
    private final int line, callLine;

    NewObject(Type type, Expression argument, Expression depth, int line, int callLine) {
        this.type = type;
        this.argument = argument;
        this.depth = depth;
        this.line = line;
        this.callLine = callLine;
    }

    @Override
    Object value(Model.Frame frame) {
        frame.model.initialize(type, frame.path, line);
        Model.Instance made = new Model.Instance(type, frame.model.allocation(type, frame.path, callLine));
        Object first = argument.value(frame);
        frame.model.call(type.constructor, frame.path, callLine, made, first, depth.value(frame));
        return made;
    }

    @Override
    void emit(Code code) {
        code.line(line);
        code.to.visitTypeInsn(NEW, type.name);
        code.to.visitInsn(DUP);
        argument.emit(code);
        depth.emit(code);
        code.line(callLine);
        code.to.visitMethodInsn(INVOKESPECIAL, type.name, "<init>", "(Ljava/lang/Object;I)V", false);
    }
}

/** An array; with a second length its elements are arrays. */
final class NewArray extends Expression {
    private static final String PRIMITIVES = "    ZCFDBSIJ"; // by the operand of newarray
    private final String descriptor;
    private final int length, inner, line;

    NewArray(String descriptor, int length, int inner, int line) {
        this.line = line;
        this.descriptor = descriptor;
        this.length = length;
        this.inner = inner;
    }

    @Override
    Object value(Model.Frame frame) {
        String by = frame.path.allocation(line, descriptor);
        Model.Array made = new Model.Array(descriptor, length, by);
        for (int i = 0; i < length && inner > 0; i++) {
            made.elements[i] = new Model.Place(new Model.Array(made.element(), inner, by), by);
        }
        return made;
    }

    @Override
    void emit(Code code) {
        String element = descriptor.substring(1);
        code.line(line);
        code.constant("I", length);
        if (inner > 0) {
            code.constant("I", inner);
            code.to.visitMultiANewArrayInsn(descriptor, 2);
        } else if (Values.isReference(element)) {
            code.to.visitTypeInsn(ANEWARRAY, Code.internalName(element));
        } else {
            code.to.visitIntInsn(NEWARRAY, PRIMITIVES.indexOf(element));
        }
    }
}

final class Clone extends Expression {
    private final Expression array;
    private final String descriptor;
    private final int line;

    Clone(Expression array, String descriptor, int line) {
        this.array = array;
        this.descriptor = descriptor;
        this.line = line;
    }

    @Override
    Object value(Model.Frame frame) {
        Model.Array from = array(array.value(frame)), made = new Model.Array(from.descriptor, from.elements.length,
            frame.path.allocation(line, descriptor));
        frame.model.copy(from, 0, made, 0, from.elements.length, frame.path, line);
        return made;
    }

    @Override
    void emit(Code code) {
        array.emit(code);
        code.line(line);
        code.to.visitMethodInsn(INVOKEVIRTUAL, descriptor, "clone", "()Ljava/lang/Object;", false);
        code.to.visitTypeInsn(CHECKCAST, descriptor);
    }
}

final class Length extends Expression {
    private final Expression array;

    Length(Expression array) {
        this.array = array;
    }

    @Override
    Object value(Model.Frame frame) {
        return array(array.value(frame)).elements.length;
    }

    @Override
    void emit(Code code) {
        array.emit(code);
        code.to.visitInsn(ARRAYLENGTH);
    }
}
