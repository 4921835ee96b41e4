import java.util.ArrayList;
import java.util.List;

/** A generated class or interface. */
final class Type {
    final String name; // with slashes
    final Type parent; // null: Object
    final int loader; // 1 sees the classes of 0
    int version = 52;
    boolean isInterface, isEntry;
    Type implemented;
    final List<Field> fields = new ArrayList<>();
    final List<Method> methods = new ArrayList<>();
    Method initializer, constructor;
    private int lines;

    Type(String name, Type parent, int loader) {
        this.name = name;
        this.parent = parent;
        this.loader = loader;
    }

    String descriptor() {
        return "L" + name + ";";
    }

    String packageName() {
        return name.substring(0, name.lastIndexOf('/'));
    }

    /** The name of a type in Java. */
    static String nameOf(String descriptor) {
        return org.objectweb.asm.Type.getType(descriptor).getClassName();
    }

    /** A line that nothing else in this class has. */
    int line() {
        return ++lines;
    }

    int lines() {
        return lines;
    }

    boolean isA(Type other) {
        for (Type at = this; at != null; at = at.parent) {
            if (at == other || at.implemented == other) {
                return true;
            }
        }
        return false;
    }

    boolean sees(Type other) {
        return loader == 1 || other.loader == 0;
    }

    /** The field that a reference to this class means: its own, its interface's, or its parent's. */
    Field resolve(String field, String descriptor) {
        for (Field each : fields) {
            if (each.name.equals(field) && each.descriptor.equals(descriptor)) {
                return each;
            }
        }
        Field found = implemented == null ? null : implemented.resolve(field, descriptor);
        return found != null || parent == null ? found : parent.resolve(field, descriptor);
    }

    /** The method that a call of a virtual method reaches in objects of this class. */
    Method select(Method called) {
        for (Type at = this; at != null; at = at.parent) {
            for (Method each : at.methods) {
                if (each.name.equals(called.name)) {
                    return each;
                }
            }
        }
        throw new AssertionError(called.name);
    }
}

final class Field {
    final Type owner;
    final String name, descriptor;
    final int access; // as in a class file

    Field(Type owner, String name, String descriptor, int access) {
        this.owner = owner;
        this.name = name;
        this.descriptor = descriptor;
        this.access = access;
    }

    boolean isStatic() {
        return (access & 8) != 0;
    }

    /** Whether code of a class may name it by another class (JVM specification, 5.4.4). */
    boolean isAccessible(Type from, Type via) {
        boolean same = from.loader == owner.loader && from.packageName().equals(owner.packageName());
        return (access & 1) != 0 || from == owner || (access & 2) == 0
            && (same || (access & 4) != 0 && from.isA(owner) && (isStatic() || via.isA(from)));
    }
}

/** Its last parameter is how deep calls may still go; at 0 it returns at once. */
final class Method {
    final Type owner;
    final String name, result; // the result's type
    final boolean isStatic;
    final List<String> locals = new ArrayList<>(); // types; first the object, then the parameters
    int parameters; // with the object
    int gap; // unused slots between parameters and other locals
    final List<Statement> early = new ArrayList<>(); // before the call of the parent's constructor
    int superLine;
    final List<Statement> body = new ArrayList<>();

    Method(Type owner, String name, String result, boolean isStatic) {
        this.owner = owner;
        this.name = name;
        this.result = result;
        this.isStatic = isStatic;
    }

    int depthLocal() {
        return parameters - 1;
    }

    boolean isEntered() {
        return name.equals("run") || name.equals("<clinit>");
    }

    boolean isConstructor() {
        return name.equals("<init>");
    }

    String descriptor() {
        StringBuilder text = new StringBuilder("(");
        for (int i = isStatic ? 0 : 1; i < parameters; i++) {
            text.append(locals.get(i));
        }
        return text + ")" + result;
    }

    String fullName() {
        return (owner.name + "." + name).replace('/', '.');
    }
}
