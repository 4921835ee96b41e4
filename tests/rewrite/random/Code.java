import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodNode;

/** Writes class files. */
final class Code implements Opcodes {
    final MethodVisitor to;
    final Method method;
    private final int[] slots;

    private Code(MethodVisitor to, Method method) {
        this.to = to;
        this.method = method;
        slots = new int[method.locals.size()];
        int next = 0;
        for (int i = 0; i < slots.length; i++) {
            next += i == method.parameters ? method.gap : 0;
            slots[i] = next;
            next += size(method.locals.get(i));
        }
    }

    static int size(String descriptor) {
        return descriptor.equals("J") || descriptor.equals("D") ? 2 : 1;
    }

    static org.objectweb.asm.Type type(String descriptor) {
        return org.objectweb.asm.Type.getType(descriptor);
    }

    static String internalName(String descriptor) {
        return descriptor.startsWith("[") ? descriptor : descriptor.substring(1, descriptor.length() - 1);
    }

    static byte[] write(Type type) {
        ClassWriter writer = new ClassWriter(type.version < 50 ? ClassWriter.COMPUTE_MAXS : ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected String getCommonSuperClass(String a, String b) {
                return "java/lang/Object";
            }
        };
        String[] interfaces = type.isEntry ? new String[] {"java/lang/Runnable"}
            : type.implemented != null ? new String[] {type.implemented.name} : null;
        writer.visit(type.version, ACC_PUBLIC | (type.isInterface ? ACC_INTERFACE | ACC_ABSTRACT : ACC_SUPER), type.name, null,
            type.parent == null ? "java/lang/Object" : type.parent.name, interfaces);
        writer.visitSource("Random.java", null);
        for (Field field : type.fields) {
            writer.visitField(field.access, field.name, field.descriptor, null, null).visitEnd();
        }
        if (type.isEntry) {
            writeEntryConstructor(writer);
        }
        if (type.constructor != null) {
            write(writer, type.constructor, 0);
        }
        if (type.initializer != null) {
            write(writer, type.initializer, ACC_STATIC);
        }
        for (Method method : type.methods) {
            write(writer, method, method.isStatic ? ACC_STATIC : 0);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static void writeEntryConstructor(ClassWriter writer) {
        MethodVisitor to = writer.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        to.visitCode();
        to.visitVarInsn(ALOAD, 0);
        to.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        to.visitInsn(RETURN);
        to.visitMaxs(0, 0);
        to.visitEnd();
    }

    /** As a tree first: to compute frames ASM needs the handlers before the code, but the inner ones are known first. */
    private static void write(ClassWriter writer, Method method, int access) {
        MethodNode to = new MethodNode(ASM9, ACC_PUBLIC | access, method.name, method.descriptor(), null, null);
        to.visitCode();
        new Code(to, method).write();
        to.visitMaxs(0, 0);
        to.visitEnd();
        to.accept(writer);
    }

    private void write() {
        for (int i = method.parameters; i < slots.length; i++) {
            zero(method.locals.get(i));
            store(i);
        }
        if (method.isConstructor()) {
            Statement.emit(method.early, this);
            Type parent = method.owner.parent;
            load(0);
            if (parent != null) {
                load(1);
                load(method.depthLocal());
                to.visitInsn(ICONST_1);
                to.visitInsn(ISUB);
            }
            line(method.superLine);
            to.visitMethodInsn(INVOKESPECIAL, parent == null ? "java/lang/Object" : parent.name, "<init>",
                parent == null ? "()V" : "(Ljava/lang/Object;I)V", false);
        }
        Label shallow = new Label();
        if (!method.isEntered()) {
            load(method.depthLocal());
            to.visitJumpInsn(IFGT, shallow);
            finish();
            to.visitLabel(shallow);
        }
        Statement.emit(method.body, this);
        finish();
    }

    /** Returns zero. */
    private void finish() {
        if (method.result.equals("V")) {
            to.visitInsn(RETURN);
        } else {
            zero(method.result);
            to.visitInsn(type(method.result).getOpcode(IRETURN));
        }
    }

    void line(int number) {
        Label here = new Label();
        to.visitLabel(here);
        to.visitLineNumber(number, here);
    }

    void load(int local) {
        to.visitVarInsn(type(method.locals.get(local)).getOpcode(ILOAD), slots[local]);
    }

    void store(int local) {
        to.visitVarInsn(type(method.locals.get(local)).getOpcode(ISTORE), slots[local]);
    }

    void zero(String descriptor) {
        constant(descriptor, Values.zero(descriptor));
    }

    void constant(String descriptor, Object value) {
        if (value == null) {
            to.visitInsn(ACONST_NULL);
        } else if (value instanceof Integer && (Integer) value >= -1 && (Integer) value <= 5) {
            to.visitInsn(ICONST_0 + (Integer) value);
        } else {
            to.visitLdcInsn(value);
        }
    }
}
