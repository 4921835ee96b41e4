import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.objectweb.asm.Opcodes;

/** Makes up a program: its classes, fields and methods; MethodGenerator.java makes up what these do. */
final class Generator implements Opcodes {
    private static final int[] VERSIONS = {46, 47, 48, 49, 49, 50, 51, 52, 55, 61};
    private static final String[] PRIMITIVES = {"Z", "B", "C", "S", "I", "J", "F", "D"};

    final List<Type> types = new ArrayList<>();
    final List<Method> methods = new ArrayList<>(); // that calls may name
    final Type[] entries = new Type[2];
    private final String prefix;
    private final Random random;

    Generator(String prefix, Random random) {
        this.prefix = prefix;
        this.random = random;
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    void generate() {
        Type shared = chance(50) ? makeInterface() : null;
        int count = 2 + below(4);
        for (int i = 0; i < count; i++) {
            makeClass(i, i < count - 1 && chance(50) ? 0 : 1, shared);
        }
        for (int i = 0; i < 2; i++) {
            entries[i] = new Type(prefix + "/q/E" + i, null, 1);
            entries[i].isEntry = true;
            entries[i].version = VERSIONS[below(VERSIONS.length)];
            types.add(entries[i]);
            Method run = new Method(entries[i], "run", "V", false);
            run.locals.add(entries[i].descriptor());
            run.parameters = 1;
            entries[i].methods.add(run);
        }
        for (Type type : types) {
            int fields = type.isEntry ? 1 + below(2) : 2 + below(5);
            for (int i = 0; i < fields; i++) {
                makeField(type, i);
            }
        }
        for (Type type : types) {
            makeMethods(type);
        }
        for (Type type : types) {
            fill(type);
        }
    }

    /* ---------------------------------------------------------------------------------------- declarations -- */

    private Type makeInterface() {
        Type made = new Type(prefix + "/p/I", null, 0);
        made.isInterface = true;
        made.version = VERSIONS[below(VERSIONS.length)];
        types.add(made);
        return made;
    }

    private void makeClass(int number, int loader, Type shared) {
        List<Type> parents = new ArrayList<>();
        for (Type each : types) {
            if (!each.isInterface && each.loader <= loader) {
                parents.add(each);
            }
        }
        Type parent = !parents.isEmpty() && chance(55) ? any(parents) : null;
        Type made = new Type(prefix + (loader == 0 ? "/p/C" : "/q/C") + number, parent, loader);
        made.version = VERSIONS[below(VERSIONS.length)];
        made.implemented = shared != null && chance(50) ? shared : null;
        types.add(made);
    }

    /** A type that code of a class may name. */
    String anyType(Type from) {
        int which = below(20);
        List<String> seen = seen(from);
        if (which < 8 || seen.isEmpty()) {
            return PRIMITIVES[below(PRIMITIVES.length)];
        }
        return which < 11 ? Values.OBJECT : which < 14 ? any(seen) : anyArray(seen);
    }

    private List<String> seen(Type from) {
        List<String> seen = new ArrayList<>();
        for (Type each : types) {
            if (from.sees(each) && !each.isInterface && !each.isEntry) {
                seen.add(each.descriptor());
            }
        }
        return seen;
    }

    String arrayType(Type from) {
        List<String> seen = seen(from);
        return seen.isEmpty() ? "[I" : anyArray(seen);
    }

    private String anyArray(List<String> seen) {
        int which = below(10);
        return which < 7 ? "[" + PRIMITIVES[below(PRIMITIVES.length)] : which == 7 ? "[" + Values.OBJECT
            : which == 8 ? "[" + any(seen) : "[[I";
    }

    /** Names repeat, so that fields hide others, and the same name has several types. */
    private void makeField(Type owner, int number) {
        String descriptor = anyType(owner), name = "f" + below(3);
        for (Field each : owner.fields) {
            if (each.name.equals(name) && each.descriptor.equals(descriptor)) {
                name = "f" + (number + 10);
            }
        }
        boolean common = owner.isInterface || owner.isEntry || chance(35);
        int[] kinds = {ACC_PUBLIC, ACC_PUBLIC, ACC_PROTECTED, 0, ACC_PRIVATE};
        int access = owner.isInterface ? ACC_PUBLIC | ACC_FINAL : kinds[below(kinds.length)] | (chance(10) ? ACC_VOLATILE : 0);
        owner.fields.add(new Field(owner, name, descriptor, access | (common ? ACC_STATIC : 0)));
    }

    private void makeMethods(Type owner) {
        if (owner.isEntry || owner.isInterface) {
            return;
        }
        Method constructor = new Method(owner, "<init>", "V", false);
        constructor.locals.add(owner.descriptor());
        constructor.locals.add(Values.OBJECT);
        addDepth(constructor);
        owner.constructor = constructor;
        int count = 1 + below(3);
        for (int i = 0; i < count; i++) {
            Method inherited = owner.parent == null || chance(60) ? null : overridable(owner);
            Method made = inherited != null ? new Method(owner, inherited.name, inherited.result, false)
                : new Method(owner, "m" + methods.size(), result(), chance(50));
            if (!made.isStatic) {
                made.locals.add(owner.descriptor());
            }
            if (inherited != null) {
                made.locals.addAll(inherited.locals.subList(1, inherited.parameters - 1));
            } else {
                for (int n = below(3); n > 0; n--) {
                    String type = anyType(owner);
                    made.locals.add(Values.isReference(type) ? Values.OBJECT : Values.stack(type));
                }
            }
            addDepth(made);
            owner.methods.add(made);
            methods.add(made);
        }
    }

    private static void addDepth(Method method) {
        method.locals.add("I");
        method.parameters = method.locals.size();
    }

    private String result() {
        String[] results = {"V", "I", "J", "F", "D", Values.OBJECT};
        return results[below(results.length)];
    }

    /** A parent's method that is not overridden yet. */
    private Method overridable(Type owner) {
        for (Type at = owner.parent; at != null; at = at.parent) {
            for (Method each : at.methods) {
                if (!each.isStatic && owner.methods.stream().noneMatch(own -> own.name.equals(each.name))) {
                    return each;
                }
            }
        }
        return null;
    }

    /* ---------------------------------------------------------------------------------------- code -- */

    private void fill(Type type) {
        if (type.isInterface || chance(60)) {
            type.initializer = new Method(type, "<clinit>", "V", true);
            new MethodGenerator(this, type.initializer).initializer();
        }
        if (type.constructor != null) {
            new MethodGenerator(this, type.constructor).constructor();
        }
        for (Method method : type.methods) {
            new MethodGenerator(this, method).body();
        }
    }
}
