package assay.accesses;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Adds to a class, for each of its instance fields, what is known of that place (the last load, the value that it
 * returned, and the last store) and two static methods that code calls before it loads or stores the field; and for all
 * of them together a field that says where the object was allocated. Such a call
 * has a side effect: if the object is null and nothing has initialized the class yet, it does.
 */
final class Fields implements Opcodes {
    static final String ACCESS = "java/lang/AssayAccess", NODE = "java/lang/AssayNode", BURSTS = "java/lang/AssayBursts",
        FRESH = "assay$fresh", MADE = "assay$o";
    private static final String OBJECT = "Ljava/lang/Object;";

    /** The JVM reads the value of all of these at the place where Integer, or Long, has it. */
    private static final Set<String> BOXES = Set.of("java/lang/Boolean", "java/lang/Byte", "java/lang/Character",
        "java/lang/Short", "java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double");

    private static final int SHADOW = ACC_PRIVATE | ACC_TRANSIENT | ACC_SYNTHETIC;

    private final ClassNode owner;
    private final boolean framed; // since version 50 the verifier wants frames

    private Fields(ClassNode owner, int major) {
        this.owner = owner;
        this.framed = major >= V1_6;
    }

    /** Whether a class can have more fields. */
    static boolean canGrow(String owner) {
        return !BOXES.contains(owner);
    }

    static void addTo(ClassNode owner, int major, boolean bursts) {
        Fields fields = new Fields(owner, major);
        List<FieldNode> all = new ArrayList<>(owner.fields);
        all.removeIf(field -> (field.access & ACC_STATIC) != 0);
        for (FieldNode field : all) {
            fields.add(field);
        }
        if (!all.isEmpty()) {
            owner.fields.add(new FieldNode(SHADOW, MADE, "I", null, null));
        }
        if (bursts && !all.isEmpty()) {
            fields.addFresh(all);
        }
    }

    /** static void assay$fresh(Object o): says of all fields of an object that it is new in this burst. */
    private void addFresh(List<FieldNode> all) {
        MethodNode code = new MethodNode(ASM9, ACC_PRIVATE | ACC_STATIC | ACC_SYNTHETIC, FRESH, "(" + OBJECT + ")V", null, null);
        code.visitCode();
        code.visitVarInsn(ALOAD, 0);
        code.visitTypeInsn(CHECKCAST, owner.name);
        code.visitVarInsn(ASTORE, 0);
        for (FieldNode field : all) {
            for (String last : new String[] {"assay$l$" + mangled(field.name, field.desc), lastStore(field.name, field.desc)}) {
                code.visitVarInsn(ALOAD, 0);
                code.visitInsn(DUP);
                code.visitFieldInsn(GETFIELD, owner.name, last, "J");
                code.visitMethodInsn(INVOKESTATIC, BURSTS, "fresh", "(J)J", false);
                code.visitFieldInsn(PUTFIELD, owner.name, last, "J");
            }
        }
        code.visitInsn(RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
        owner.methods.add(code);
    }

    /** The name of the method to call before a field is loaded, or stored. */
    static String accessor(boolean store, String name, String descriptor) {
        return (store ? "assay$put$" : "assay$get$") + mangled(name, descriptor);
    }

    static String accessorType(boolean store, String descriptor) {
        return "(" + OBJECT + (store ? general(descriptor) : "") + "L" + NODE + ";I)V";
    }

    /** A name for each field of a class: the names of methods, unlike those of fields, can't have < and >. */
    private static String mangled(String name, String descriptor) {
        return name.replace('<', '\u2039').replace('>', '\u203a') + "$" + descriptor.replace("_", "_u").replace("$", "_d")
            .replace("/", "_s").replace(";", "_e").replace("[", "_a");
    }

    /** The field that has the last store of another one. */
    static String lastStore(String name, String descriptor) {
        return "assay$s$" + mangled(name, descriptor);
    }

    static boolean isReference(String descriptor) {
        return descriptor.length() > 1;
    }

    static String general(String descriptor) {
        return isReference(descriptor) ? OBJECT : descriptor;
    }

    /** The type by which values are compared. */
    static String compared(String descriptor) {
        switch (descriptor.charAt(0)) {
        case 'J': case 'F': case 'D': return descriptor;
        case 'L': case '[': return OBJECT;
        default: return "I";
        }
    }

    private void add(FieldNode field) {
        String name = mangled(field.name, field.desc);
        owner.fields.add(new FieldNode(SHADOW, "assay$l$" + name, "J", null, null));
        owner.fields.add(new FieldNode(SHADOW, "assay$v$" + name, general(field.desc), null, null));
        owner.fields.add(new FieldNode(SHADOW, lastStore(field.name, field.desc), "J", null, null));
        new Accessor(field, false).make();
        new Accessor(field, true).make();
    }

    /** static void assay$get$x(Object o, AssayNode n, int k), and assay$put$x(Object o, T value, AssayNode n, int k). */
    private final class Accessor {
        private final String name, descriptor, last, value, store;
        private final boolean stores, reference;
        private final int node, number, object; // local variables
        private final MethodNode code;

        Accessor(FieldNode field, boolean stores) {
            String mangled = mangled(field.name, field.desc);
            name = field.name;
            descriptor = field.desc;
            last = "assay$l$" + mangled;
            value = "assay$v$" + mangled;
            store = lastStore(name, descriptor);
            this.stores = stores;
            reference = isReference(descriptor);
            node = 1 + (stores ? Type.getType(descriptor).getSize() : 0);
            number = node + 1;
            object = node + 2;
            code = new MethodNode(ASM9, field.access & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED) | ACC_STATIC | ACC_SYNTHETIC,
                accessor(stores, name, descriptor), accessorType(stores, descriptor), null, null);
        }

        void make() {
            Label end = new Label();
            code.visitCode();
            code.visitVarInsn(ALOAD, 0);
            code.visitJumpInsn(IFNULL, end);
            code.visitVarInsn(ALOAD, 0);
            code.visitTypeInsn(CHECKCAST, owner.name);
            code.visitVarInsn(ASTORE, object);
            if (stores) {
                stored(end);
            } else {
                loaded(end);
            }
            code.visitLabel(end);
            frame(false);
            code.visitInsn(RETURN);
            code.visitMaxs(0, 0);
            code.visitEnd();
            owner.methods.add(code);
        }

        private void loaded(Label end) {
            Label unkept = new Label(), unchanged = new Label();
            code.visitFieldInsn(GETSTATIC, ACCESS, "LOADS", "Z");
            code.visitJumpInsn(IFEQ, unkept);
            code.visitVarInsn(ALOAD, object);
            count(last, "loaded", name, value);
            if (reference) { // usually the same: a store of a reference costs more than the comparison
                get(name, descriptor);
                get(value, OBJECT);
                code.visitJumpInsn(IF_ACMPEQ, unchanged);
            }
            code.visitVarInsn(ALOAD, object);
            if (reference) {
                get(value, OBJECT);
            }
            get(name, descriptor);
            if (reference) {
                code.visitMethodInsn(INVOKESTATIC, ACCESS, "kept", "(" + OBJECT + OBJECT + ")" + OBJECT, false);
            }
            put(value, general(descriptor));
            if (reference) {
                code.visitLabel(unchanged);
                frame(true);
            }
            code.visitLabel(unkept);
            if (!reference) {
                frame(true);
            }
            code.visitFieldInsn(GETSTATIC, ACCESS, "STORES", "Z");
            code.visitJumpInsn(IFEQ, end);
            code.visitVarInsn(ALOAD, object);
            get(store, "J");
            code.visitMethodInsn(INVOKESTATIC, ACCESS, "loaded", "(J)J", false);
            put(store, "J");
        }

        private void stored(Label end) {
            if (reference) {
                Label unkept = new Label();
                code.visitFieldInsn(GETSTATIC, ACCESS, "LOADS", "Z");
                code.visitJumpInsn(IFEQ, unkept);
                get(value, OBJECT);
                code.visitJumpInsn(IFNULL, unkept);
                code.visitVarInsn(ALOAD, object);
                get(value, OBJECT);
                get(name, descriptor);
                code.visitVarInsn(ALOAD, 1);
                code.visitVarInsn(ALOAD, node);
                code.visitMethodInsn(INVOKESTATIC, ACCESS, "kept",
                    "(" + OBJECT + OBJECT + OBJECT + "L" + NODE + ";)" + OBJECT, false);
                put(value, OBJECT);
                code.visitLabel(unkept);
                frame(true);
            }
            code.visitFieldInsn(GETSTATIC, ACCESS, "STORES", "Z");
            code.visitJumpInsn(IFEQ, end);
            code.visitVarInsn(ALOAD, object);
            count(store, "stored", null, name);
        }

        /** What the node counts, for the value of a field (null: the new value) and the one to compare it with. */
        private void count(String shadow, String method, String now, String before) {
            String type = compared(descriptor), beforeType = before.equals(value) ? general(descriptor) : descriptor;
            code.visitVarInsn(ALOAD, node);
            get(shadow, "J");
            code.visitVarInsn(ILOAD, number);
            if (now == null) {
                code.visitVarInsn(Type.getType(descriptor).getOpcode(ILOAD), 1);
            } else {
                get(now, descriptor);
            }
            get(before, beforeType);
            boolean identical = reference && stores;
            code.visitMethodInsn(INVOKESTATIC, ACCESS, identical ? "equal" : "same", "(" + type + type + ")Z", false);
            if (reference) {
                code.visitFieldInsn(GETSTATIC, ACCESS, "references", "I");
            } else {
                code.visitIntInsn(BIPUSH, Description.kind(descriptor.charAt(0)));
            }
            if (stores) {
                code.visitIntInsn(BIPUSH, Description.STORE);
                code.visitInsn(IOR);
            }
            get(MADE, "I");
            code.visitMethodInsn(INVOKEVIRTUAL, NODE, method, "(JIZII)J", false);
            put(shadow, "J");
        }

        private void get(String field, String type) {
            code.visitVarInsn(ALOAD, object);
            code.visitFieldInsn(GETFIELD, owner.name, field, type);
        }

        private void put(String field, String type) {
            code.visitFieldInsn(PUTFIELD, owner.name, field, type);
        }

        private void frame(boolean hasObject) {
            if (!framed) {
                return;
            }
            List<Object> locals = new ArrayList<>();
            locals.add("java/lang/Object");
            if (stores) {
                String type = compared(descriptor);
                locals.add(type.equals("J") ? LONG : type.equals("D") ? DOUBLE : type.equals("F") ? FLOAT : type.equals("I")
                    ? INTEGER : (Object) "java/lang/Object");
            }
            locals.add(NODE);
            locals.add(INTEGER);
            if (hasObject) {
                locals.add(owner.name);
            }
            code.visitFrame(F_NEW, locals.size(), locals.toArray(), 0, new Object[0]);
        }
    }
}
