import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;

/** Code that leaves nothing on the stack, and what it does. */
abstract class Statement implements Opcodes {
    /** Whether the method returns. */
    abstract boolean run(Model.Frame frame);

    abstract void emit(Code code);

    static boolean run(List<Statement> all, Model.Frame frame) {
        for (Statement each : all) {
            frame.model.step();
            if (each.run(frame)) {
                return true;
            }
        }
        return false;
    }

    static void emit(List<Statement> all, Code code) {
        for (Statement each : all) {
            each.emit(code);
        }
    }
}

final class SetLocal extends Statement {
    private final int number;
    private final Expression value;

    SetLocal(int number, Expression value) {
        this.number = number;
        this.value = value;
    }

    @Override
    boolean run(Model.Frame frame) {
        frame.locals[number] = value.value(frame);
        return false;
    }

    @Override
    void emit(Code code) {
        value.emit(code);
        code.store(number);
    }
}

/** A store into a field; into a static one if there is no object. */
final class FieldStore extends Statement {
    private final Expression object, value;
    private final Type via;
    private final Field field;
    private final int line;

    FieldStore(Expression object, Type via, Field field, Expression value, int line) {
        this.object = object;
        this.via = via;
        this.field = field;
        this.value = value;
        this.line = line;
    }

    @Override
    boolean run(Model.Frame frame) {
        Object of = object == null ? null : object.value(frame);
        Object stored = Values.narrow(field.descriptor, value.value(frame));
        if (object == null) {
            frame.model.initialize(field.owner, frame.path, line);
        }
        Model.Place place = object == null ? frame.model.field(field) : frame.model.field(of, field);
        frame.model.store(place, stored, frame.path, line);
        return false;
    }

    @Override
    void emit(Code code) {
        if (object != null) {
            object.emit(code);
        }
        value.emit(code);
        code.line(line);
        code.to.visitFieldInsn(object == null ? PUTSTATIC : PUTFIELD, via.name, field.name, field.descriptor);
    }
}

final class ElementStore extends Statement {
    private final Expression array, index, value;
    private final String descriptor;
    private final int line;

    ElementStore(Expression array, String descriptor, Expression index, Expression value, int line) {
        this.array = array;
        this.descriptor = descriptor;
        this.index = index;
        this.value = value;
        this.line = line;
    }

    @Override
    boolean run(Model.Frame frame) {
        Object of = array.value(frame), at = index.value(frame), now = value.value(frame);
        Model.Place place = Expression.element(of, at);
        String type = ((Model.Array) of).element();
        if (!frame.model.isInstance(now, type)) {
            throw new Model.Thrown("ArrayStoreException");
        }
        frame.model.store(place, Values.narrow(type, now), frame.path, line);
        return false;
    }

    @Override
    void emit(Code code) {
        array.emit(code);
        index.emit(code);
        value.emit(code);
        code.line(line);
        code.to.visitInsn(Expression.element(descriptor).getOpcode(IASTORE));
    }
}

final class Copy extends Statement {
    private final Expression from, to;
    private final Expression at, position, length;
    private final int line;

    Copy(Expression from, Expression at, Expression to, Expression position, Expression length, int line) {
        this.from = from;
        this.at = at;
        this.to = to;
        this.position = position;
        this.length = length;
        this.line = line;
    }

    private static boolean isPart(int at, int length, Model.Array array) {
        return at >= 0 && length >= 0 && at <= array.elements.length - length;
    }

    @Override
    boolean run(Model.Frame frame) {
        Object first = from.value(frame);
        int source = (Integer) at.value(frame);
        Object second = to.value(frame);
        int target = (Integer) position.value(frame), count = (Integer) length.value(frame);
        Model.Array a = Expression.array(first), b = Expression.array(second);
        boolean references = Values.isReference(a.element()) && Values.isReference(b.element());
        if (!references && !a.descriptor.equals(b.descriptor)) {
            throw new Model.Thrown("ArrayStoreException");
        }
        if (!isPart(source, count, a) || !isPart(target, count, b)) {
            throw new Model.Thrown("ArrayIndexOutOfBoundsException");
        }
        frame.model.copy(a, source, b, target, count, frame.path, line);
        return false;
    }

    @Override
    void emit(Code code) {
        Expression[] all = {from, at, to, position, length};
        for (Expression each : all) {
            each.emit(code);
        }
        code.line(line);
        code.to.visitMethodInsn(INVOKESTATIC, "java/lang/System", "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V", false);
    }
}

final class If extends Statement {
    private final Expression condition;
    private final List<Statement> then, otherwise;

    If(Expression condition, List<Statement> then, List<Statement> otherwise) {
        this.condition = condition;
        this.then = then;
        this.otherwise = otherwise;
    }

    @Override
    boolean run(Model.Frame frame) {
        return run((Integer) condition.value(frame) > 0 ? then : otherwise, frame);
    }

    @Override
    void emit(Code code) {
        Label other = new Label(), end = new Label();
        condition.emit(code);
        code.to.visitJumpInsn(IFLE, other);
        emit(then, code);
        code.to.visitJumpInsn(GOTO, end);
        code.to.visitLabel(other);
        emit(otherwise, code);
        code.to.visitLabel(end);
    }
}

final class Loop extends Statement {
    final int line;
    private final int counter, times;
    private final List<Statement> body;

    Loop(int counter, int times, List<Statement> body, int line) {
        this.counter = counter;
        this.times = times;
        this.body = body;
        this.line = line;
    }

    @Override
    boolean run(Model.Frame frame) {
        frame.model.enter(this);
        try {
            for (int i = 0; i < times; i++) {
                frame.locals[counter] = i;
                frame.model.pass(frame.path, this);
                if (run(body, frame)) {
                    return true;
                }
            }
            frame.model.pass(frame.path, this);
            frame.locals[counter] = times;
            return false;
        } finally {
            frame.model.leave();
        }
    }

    @Override
    void emit(Code code) {
        Label top = new Label(), end = new Label();
        code.constant("I", 0);
        code.store(counter);
        code.to.visitLabel(top);
        code.line(line);
        code.load(counter);
        code.constant("I", times);
        code.to.visitJumpInsn(IF_ICMPGE, end);
        emit(body, code);
        code.load(counter);
        code.to.visitInsn(ICONST_1);
        code.to.visitInsn(IADD);
        code.store(counter);
        code.to.visitJumpInsn(GOTO, top);
        code.to.visitLabel(end);
    }
}

/** Cases 0, 1, … and the last one for all other values. */
final class Switch extends Statement {
    private final Expression value;
    private final List<List<Statement>> cases;
    private final boolean lookup;

    Switch(Expression value, List<List<Statement>> cases, boolean lookup) {
        this.value = value;
        this.cases = cases;
        this.lookup = lookup;
    }

    @Override
    boolean run(Model.Frame frame) {
        int last = cases.size() - 1, at = (Integer) value.value(frame);
        return run(cases.get(at < 0 || at > last ? last : at), frame);
    }

    @Override
    void emit(Code code) {
        int last = cases.size() - 1;
        Label[] labels = new Label[last];
        int[] keys = new int[last];
        Label rest = new Label(), end = new Label();
        for (int i = 0; i < last; i++) {
            labels[i] = new Label();
            keys[i] = i;
        }
        value.emit(code);
        if (lookup) {
            code.to.visitLookupSwitchInsn(rest, keys, labels);
        } else {
            code.to.visitTableSwitchInsn(0, last - 1, rest, labels);
        }
        for (int i = 0; i <= last; i++) {
            code.to.visitLabel(i == last ? rest : labels[i]);
            emit(cases.get(i), code);
            code.to.visitJumpInsn(GOTO, end);
        }
        code.to.visitLabel(end);
    }
}

final class Try extends Statement {
    private final List<Statement> body, handler;

    Try(List<Statement> body, List<Statement> handler) {
        this.body = body;
        this.handler = handler;
    }

    @Override
    boolean run(Model.Frame frame) {
        try {
            return run(body, frame);
        } catch (Model.Thrown thrown) {
            return run(handler, frame);
        }
    }

    @Override
    void emit(Code code) {
        Label start = new Label(), end = new Label(), caught = new Label(), after = new Label();
        code.to.visitLabel(start);
        code.to.visitInsn(NOP);
        emit(body, code);
        code.to.visitLabel(end);
        code.to.visitTryCatchBlock(start, end, caught, "java/lang/RuntimeException"); // after those of the body
        code.to.visitJumpInsn(GOTO, after);
        code.to.visitLabel(caught);
        code.to.visitInsn(POP);
        emit(handler, code);
        code.to.visitLabel(after);
    }
}

/** Throws: by itself, or from a method that it calls, if an int is positive. */
final class Throw extends Statement {
    private final Expression condition;
    private final boolean itself;
    private final int line;

    Throw(Expression condition, boolean itself, int line) {
        this.condition = condition;
        this.itself = itself;
        this.line = line;
    }

    @Override
    boolean run(Model.Frame frame) {
        if ((Integer) condition.value(frame) > 0) {
            throw new Model.Thrown(itself ? "NullPointerException" : "IllegalStateException");
        }
        return false;
    }

    @Override
    void emit(Code code) {
        Label end = new Label();
        condition.emit(code);
        code.to.visitJumpInsn(IFLE, end);
        code.line(line);
        if (itself) {
            code.to.visitInsn(ACONST_NULL);
            code.to.visitInsn(ATHROW);
        } else {
            code.to.visitMethodInsn(INVOKESTATIC, "Runner", "fail", "()V", false);
        }
        code.to.visitLabel(end);
    }
}

final class Collect extends Statement {
    private final int line;

    Collect(int line) {
        this.line = line;
    }

    @Override
    boolean run(Model.Frame frame) {
        return false;
    }

    @Override
    void emit(Code code) {
        code.line(line);
        code.to.visitMethodInsn(INVOKESTATIC, "java/lang/System", "gc", "()V", false);
    }
}

/** Calculates a value for nothing. */
final class Evaluate extends Statement {
    private final Expression value;
    private final String descriptor;

    Evaluate(Expression value, String descriptor) {
        this.value = value;
        this.descriptor = descriptor;
    }

    @Override
    boolean run(Model.Frame frame) {
        value.value(frame);
        return false;
    }

    @Override
    void emit(Code code) {
        value.emit(code);
        if (!descriptor.equals("V")) {
            code.to.visitInsn(Code.size(descriptor) == 2 ? POP2 : POP);
        }
    }
}

final class Return extends Statement {
    private final Expression condition, value; // value null: none

    Return(Expression condition, Expression value) {
        this.condition = condition;
        this.value = value;
    }

    @Override
    boolean run(Model.Frame frame) {
        if ((Integer) condition.value(frame) <= 0) {
            return false;
        }
        frame.result = value == null ? null : value.value(frame);
        return true;
    }

    @Override
    void emit(Code code) {
        Label end = new Label();
        condition.emit(code);
        code.to.visitJumpInsn(IFLE, end);
        if (value != null) {
            value.emit(code);
        }
        code.to.visitInsn(value == null ? RETURN : Code.type(code.method.result).getOpcode(IRETURN));
        code.to.visitLabel(end);
    }
}
