import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;

/** Makes up what a method does. */
final class MethodGenerator implements Opcodes {
    private static final Integer[] INTS = {0, 0, 1, 1, 2, 3, -1, 100, 255, 256, 70000, Integer.MIN_VALUE};
    private static final Long[] LONGS = {0L, 1L, -1L, 1L << 32, Long.MIN_VALUE};
    private static final Float[] FLOATS = {0f, -0f, 1f, 1.005f, 1.01f, 1.02f, 100f, 101f, 99f, Float.NaN, Float.intBitsToFloat(0x7fc00001),
        Float.POSITIVE_INFINITY, Float.MAX_VALUE, Float.MIN_VALUE};
    private static final Double[] DOUBLES = {0.0, -0.0, 1.0, 1.01, 1.0100001, 0.99, -1.0, 100.0, 101.0, 99.0, Double.NaN,
        Double.longBitsToDouble(0x7ff8000000000001L), Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, Double.MIN_VALUE};

    private final Generator all;
    private final Method method;
    private final Type here;
    private final List<Integer> assignable = new ArrayList<>(); // locals
    private boolean hasObject; // `this` can be used
    private int loops;

    MethodGenerator(Generator all, Method method) {
        this.all = all;
        this.method = method;
        here = method.owner;
    }

    /** Only stores into the class's fields, of values whose calculation can't throw. */
    void initializer() {
        method.gap = gap();
        for (Field field : here.fields) {
            for (int n = all.below(3); n > 0 && field.isStatic(); n--) {
                Expression value = Values.isReference(field.descriptor) ? made(field.descriptor) : safe(Values.stack(field.descriptor));
                method.body.add(new FieldStore(null, here, field, narrowed(field.descriptor, value), here.line()));
            }
        }
    }

    void constructor() {
        method.superLine = here.line();
        locals();
        assignable.remove((Integer) 0);
        for (int n = all.chance(60) ? all.below(4) : 0; n > 0; n--) {
            method.early.add(early(1));
        }
        hasObject = true;
        method.body.addAll(block(1 + all.below(3), 2));
    }

    void body() {
        locals();
        hasObject = !method.isStatic;
        method.body.addAll(block(method.isEntered() ? 6 + all.below(8) : 2 + all.below(4), 3));
    }

    private int gap() {
        return all.chance(90) ? 0 : all.chance(80) ? 300 : 1000;
    }

    private void locals() {
        for (int i = 0; i < method.parameters; i++) {
            if ((i > 0 || method.isStatic) && (method.isEntered() || i != method.depthLocal())) {
                assignable.add(i);
            }
        }
        String[] types = {"I", "J", "F", "D", Values.OBJECT, Values.stack(all.anyType(here)), all.arrayType(here), all.arrayType(here),
            objectType() == null ? "I" : objectType().descriptor()};
        for (String type : types) {
            assignable.add(method.locals.size());
            method.locals.add(type);
        }
        method.gap = gap();
        for (int i : assignable) {
            if (i >= method.parameters && Values.isReference(method.locals.get(i)) && all.chance(90)) {
                method.body.add(new SetLocal(i, value(method.locals.get(i), 1)));
            }
        }
    }

    /* ---------------------------------------------------------------------------------------- statements -- */

    private List<Statement> block(int count, int depth) {
        List<Statement> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(all.chance(method.isEntered() ? 80 : 20) ? caught(statement(depth)) : statement(depth));
        }
        return made;
    }

    private static Statement caught(Statement statement) {
        return new Try(new ArrayList<>(List.of(statement)), new ArrayList<>());
    }

    private Statement statement(int depth) {
        int which = all.below(depth > 0 ? 100 : 70);
        if (which < 15) {
            return set();
        }
        if (which < 40) {
            return storeField();
        }
        if (which < 54) {
            return storeElement();
        }
        if (which < 64) {
            return evaluate();
        }
        if (which < 69) {
            return copy();
        }
        if (which < 70) {
            return all.chance(2) ? new Collect(here.line()) : set();
        }
        return compound(which, depth - 1);
    }

    private Statement compound(int which, int depth) {
        if (which < 78) {
            return new If(value("I", 2), block(1 + all.below(2), depth), block(all.below(2), depth));
        }
        if (which < 88 && loops < 2) {
            int counter = method.locals.size();
            method.locals.add("I");
            loops++;
            int line = here.line(); // less than those of the loop's code
            Statement made = new Loop(counter, 1 + all.below(6), block(1 + all.below(3), depth), line);
            loops--;
            return made;
        }
        if (which < 91) {
            List<List<Statement>> cases = new ArrayList<>();
            for (int n = 2 + all.below(3); n > 0; n--) {
                cases.add(block(all.below(2), depth));
            }
            return new Switch(value("I", 1), cases, all.chance(50));
        }
        if (which < 97) {
            return new Try(block(1 + all.below(3), depth), block(all.below(2), depth));
        }
        if (which < 99) {
            return new Throw(value("I", 1), all.chance(30), here.line());
        }
        return new Return(value("I", 1), method.result.equals("V") ? null : value(method.result, 1));
    }

    private Statement set() {
        int local = all.any(assignable);
        return new SetLocal(local, value(method.locals.get(local), 3));
    }

    private List<Field> accessible(boolean common, String stack, Type via) {
        List<Field> found = new ArrayList<>();
        for (Type type : all.types) {
            for (Field field : type.fields) {
                boolean fits = stack == null || Values.stack(field.descriptor).equals(stack);
                if (here.sees(type) && field.isStatic() == common && fits && (via == null || via.isA(type))
                    && field.isAccessible(here, via == null ? type : via)) {
                    found.add(field);
                }
            }
        }
        return found;
    }

    /** A class by which the field can be named; `wanted` if that means this field. */
    private static Type name(Field field, Type wanted) {
        return wanted.resolve(field.name, field.descriptor) == field ? wanted : field.owner;
    }

    /** Half of the ints are cut by code, the others where they are stored. */
    private Expression narrowed(String descriptor, Expression value) {
        return all.chance(50) && "ZBCS".contains(descriptor) ? new Narrowed(descriptor, value) : value;
    }

    private Statement storeField() {
        Type via = objectType();
        boolean common = via == null || all.chance(35);
        List<Field> fields = new ArrayList<>(accessible(common, null, common ? null : via));
        fields.removeIf(each -> (each.access & ACC_FINAL) != 0);
        if (fields.isEmpty()) {
            return set();
        }
        Field field = all.any(fields);
        Expression object = common ? null : object(via);
        Expression value = narrowed(field.descriptor, value(Values.stack(field.descriptor), 2));
        return new FieldStore(object, common ? field.owner : name(field, via), field, value, here.line());
    }

    private Statement storeElement() {
        String array = arrayType();
        Expression of = sound(array, 1), at = index();
        String element = array.substring(1);
        return new ElementStore(of, array, at, narrowed(element, value(Values.stack(element), 2)), here.line());
    }

    private Statement copy() {
        String type = arrayType(), other = all.chance(90) ? type : arrayType();
        Expression from = sound(type, 1), to = all.chance(30) ? from : sound(other, 1);
        boolean pure = to != from || from instanceof Local;
        return new Copy(from, index(), pure ? to : sound(other, 1), index(), new Constant("I", all.below(4)), here.line());
    }

    private Statement evaluate() {
        if (all.chance(70)) {
            Expression call = call(null);
            if (call != null) {
                return new Evaluate(call, called.result);
            }
        }
        String[] stack = {"I", "J", "F", "D", Values.OBJECT};
        String type = stack[all.below(stack.length)];
        return new Evaluate(value(type, 3), type);
    }

    /** Before the parent's constructor: stores into the object, and into others. */
    private Statement early(int depth) {
        List<Field> own = new ArrayList<>(here.fields);
        own.removeIf(Field::isStatic);
        int which = all.below(10);
        if (own.isEmpty() || which < 2) {
            return set();
        }
        if (which < 4 && depth > 0) {
            List<Statement> then = new ArrayList<>(), otherwise = new ArrayList<>();
            then.add(early(depth - 1));
            otherwise.add(early(depth - 1));
            return new If(value("I", 1), then, otherwise);
        }
        Field field = all.any(own);
        Expression object = which < 8 ? new Local(0) : value(here.descriptor(), 1);
        Expression value = narrowed(field.descriptor, value(Values.stack(field.descriptor), 1));
        return new FieldStore(object, here, field, value, here.line());
    }

    /* ---------------------------------------------------------------------------------------- values -- */

    private Type objectType() {
        List<Type> seen = new ArrayList<>();
        for (Type each : all.types) {
            if (here.sees(each) && !each.isInterface && !each.isEntry) {
                seen.add(each);
            }
        }
        return seen.isEmpty() ? null : all.any(seen);
    }

    private Expression object(Type type) {
        return hasObject && type == here && all.chance(40) ? new Local(0) : sound(type.descriptor(), 2);
    }

    /** Not often null. */
    private Expression sound(String type, int depth) {
        Expression value = value(type, depth);
        return all.chance(90) ? new OrElse(value, fresh(type)) : value;
    }

    private String arrayType() {
        List<String> used = new ArrayList<>();
        for (String each : method.locals) {
            if (each.startsWith("[")) {
                used.add(each);
            }
        }
        String type = !used.isEmpty() && all.chance(85) ? all.any(used) : all.anyType(here);
        return type.startsWith("[") ? type : "[" + type;
    }

    private Expression index() {
        return all.chance(70) ? new Constant("I", all.below(3)) : all.chance(80) ? new Arithmetic("I", '&', value("I", 1),
            new Constant("I", 3)) : value("I", 1);
    }

    private Expression constant(String type) {
        switch (type) {
        case "I": return new Constant(type, INTS[all.below(INTS.length)]);
        case "J": return new Constant(type, LONGS[all.below(LONGS.length)]);
        case "F": return new Constant(type, FLOATS[all.below(FLOATS.length)]);
        default: return new Constant(type, DOUBLES[all.below(DOUBLES.length)]);
        }
    }

    /** A number without a call or an exception. */
    private Expression safe(String type) {
        List<Field> fields = accessible(true, type, null);
        if (!fields.isEmpty() && all.chance(40)) {
            Field field = all.any(fields);
            return new FieldLoad(null, field.owner, field, here.line());
        }
        return constant(type);
    }

    private Expression made(String type) {
        if (type.startsWith("[[")) {
            return new NewArray(type, 1 + all.below(3), all.chance(80) ? 1 + all.below(4) : 0, here.line());
        }
        return type.startsWith("[") ? new NewArray(type, all.chance(95) ? 1 + all.below(6) : 0, 0, here.line()) : new Constant(type, null);
    }

    /** A value of a type as it is on the stack. */
    private Expression value(String type, int depth) {
        Expression found = all.chance(depth <= 0 ? 60 : Values.isReference(type) ? 70 : 25) ? local(type) : null;
        if (found == null && depth > 0) {
            int which = all.below(100);
            found = which < 40 ? loadField(type, depth - 1) : which < 65 ? loadElement(type, depth - 1)
                : which < 75 ? call(type) : which < 90 ? calculated(type, depth - 1) : null;
        }
        return found != null ? found : Values.isReference(type) ? fresh(type) : constant(type);
    }

    private Expression local(String type) {
        List<Integer> found = new ArrayList<>();
        for (int i = hasObject || method.isStatic ? 0 : 1; i < method.locals.size(); i++) {
            if (method.locals.get(i).equals(type)) {
                found.add(i);
            }
        }
        return found.isEmpty() ? null : new Local(all.any(found));
    }

    private Expression loadField(String type, int depth) {
        Type via = objectType();
        boolean common = via == null || depth <= 0 || all.chance(40);
        List<Field> fields = accessible(common, type, common ? null : via);
        if (fields.isEmpty()) {
            return null;
        }
        Field field = all.any(fields);
        Expression object = common ? null : object(via);
        return new FieldLoad(object, common ? field.owner : name(field, via), field, here.line());
    }

    private Expression loadElement(String type, int depth) {
        String[] narrow = {"Z", "B", "C", "S", "I"};
        String array = "[" + (type.equals("I") ? narrow[all.below(narrow.length)] : type);
        for (String each : method.locals) {
            if (each.startsWith("[") && Values.stack(each.substring(1)).equals(type) && all.chance(70)) {
                array = each;
            }
        }
        if (array.startsWith("[[[") || array.startsWith("[[") && !array.equals("[[I")) {
            return null;
        }
        Expression of = sound(array, depth);
        return new ElementLoad(of, array, index(), here.line());
    }

    private Expression calculated(String type, int depth) {
        if (type.startsWith("[")) {
            return new Clone(sound(type, depth), type, here.line());
        }
        if (Values.isReference(type)) {
            return type.equals(Values.OBJECT) ? null : new Cast(value(Values.OBJECT, depth), type);
        }
        if (all.chance(15)) {
            return new Choice(value("I", depth), value(type, depth), value(type, depth));
        }
        if (type.equals("I") && all.chance(15)) {
            return new Length(sound(arrayType(), depth));
        }
        String operations = type.equals("I") ? "+-*&^" : "+-*";
        return new Arithmetic(type, operations.charAt(all.below(operations.length())), value(type, depth), value(type, depth));
    }

    private Expression fresh(String type) {
        boolean endless = !hasObject && method.isConstructor() && type.startsWith("L") && !type.equals(Values.OBJECT);
        if (all.chance(4) || endless) { // before the parent's constructor nothing stops constructors that call each other
            return new Constant(type, null);
        }
        if (type.equals(Values.OBJECT)) {
            String other = all.anyType(here);
            return Values.isReference(other) && !other.equals(type) ? fresh(other) : made("[I");
        }
        if (type.startsWith("[")) {
            return type.equals("[" + Values.OBJECT) && all.chance(20) && objectType() != null
                ? made("[" + objectType().descriptor()) : made(type);
        }
        for (Type each : all.types) {
            if (each.descriptor().equals(type)) {
                int line = here.line();
                Expression argument = all.chance(50) ? simple(Values.OBJECT) : new Constant(type, null);
                return new NewObject(each, argument, depth(), line, here.line());
            }
        }
        throw new AssertionError(type);
    }

    private Expression simple(String type) {
        Expression found = local(type);
        return found != null ? found : Values.isReference(type) ? made(type) : constant(type);
    }

    /** How deep a called method may call. */
    private Expression depth() {
        return method.isEntered() ? new Constant("I", 2 + all.below(5))
            : new Arithmetic("I", '-', new Local(method.depthLocal()), new Constant("I", 1));
    }

    private Method called;

    /** A call of a method with this result; null: any. The result is null if there is none. */
    private Expression call(String type) {
        List<Method> found = new ArrayList<>();
        for (Method each : all.methods) {
            boolean fits = type == null || each.result.equals(type) || Values.isReference(type) && each.result.equals(Values.OBJECT);
            if (here.sees(each.owner) && fits) {
                found.add(each);
            }
        }
        if (found.isEmpty() || method.name.equals("<clinit>")) {
            return null;
        }
        Method wanted = all.any(found);
        Expression[] arguments = new Expression[wanted.parameters];
        for (int i = 0; i < arguments.length; i++) {
            String parameter = wanted.locals.get(i);
            arguments[i] = i == wanted.depthLocal() ? depth() : i == 0 && !wanted.isStatic ? object(wanted.owner)
                : all.chance(70) ? simple(parameter) : value(parameter, 1);
        }
        int opcode = wanted.isStatic ? INVOKESTATIC : wanted.owner == here && all.chance(30) ? INVOKESPECIAL : INVOKEVIRTUAL;
        Expression call = new Call(opcode, wanted, arguments, here.line());
        called = wanted;
        return type == null || !Values.isReference(type) || type.equals(Values.OBJECT) ? call : new Cast(call, type);
    }
}
