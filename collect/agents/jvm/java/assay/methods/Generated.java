package assay.methods;

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Classes that no compiler can make: the probe is a member of java.lang, visible to every class of every loader. */
final class Generated implements Opcodes {
    static final String PROBE = "java/lang/AssayProbe";
    /** The probe that chooses calls. */
    static final String CHOOSER = "java/lang/AssayChooser";
    static final String PAIRS = "java/lang/AssayPairs";

    private Generated() {
    }

    static byte[] probe() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(V11, ACC_PUBLIC | ACC_FINAL | ACC_SUPER, PROBE, null, "java/lang/Object", null);
        int access = ACC_PUBLIC | ACC_STATIC | ACC_NATIVE;
        writer.visitMethod(access, "enter", "(I)I", null, null).visitEnd();
        writer.visitMethod(access, "exit", "(II)V", null, null).visitEnd();
        writer.visitMethod(access, "thrown", "(II)V", null, null).visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Few calls are chosen, so an exit reaches native code only if its call was. */
    static byte[] chooser() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(V11, ACC_PUBLIC | ACC_FINAL | ACC_SUPER, CHOOSER, null, "java/lang/Object", null);
        int access = ACC_PUBLIC | ACC_STATIC | ACC_NATIVE;
        writer.visitMethod(access, "enter", "(I)I", null, null).visitEnd();
        leave(writer, "exit");
        leave(writer, "thrown");
        writer.visitMethod(access, "leave", "(I)V", null, null).visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** static void name(int method, int call) { if (call != -1) leave(call); } */
    private static void leave(ClassWriter writer, String name) {
        MethodVisitor code = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, name, "(II)V", null, null);
        Label passed = new Label();
        code.visitCode();
        code.visitVarInsn(ILOAD, 1);
        code.visitInsn(ICONST_M1);
        code.visitJumpInsn(IF_ICMPEQ, passed);
        code.visitVarInsn(ILOAD, 1);
        code.visitMethodInsn(INVOKESTATIC, CHOOSER, "leave", "(I)V", false);
        code.visitLabel(passed);
        code.visitFrame(F_SAME, 0, null, 0, null);
        code.visitInsn(RETURN);
        code.visitMaxs(2, 2);
        code.visitEnd();
    }

    /** static void run(int n) { for (; n > 0; n--) AssayProbe.exit(0, AssayProbe.enter(0)); } */
    static byte[] pairs(String probe) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(V11, ACC_PUBLIC | ACC_FINAL | ACC_SUPER, PAIRS, null, "java/lang/Object", null);
        MethodVisitor run = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "run", "(I)V", null, null);
        Label again = new Label();
        Label done = new Label();
        run.visitCode();
        run.visitLabel(again);
        run.visitFrame(F_SAME, 0, null, 0, null);
        run.visitVarInsn(ILOAD, 0);
        run.visitJumpInsn(IFLE, done);
        run.visitInsn(ICONST_0);
        run.visitInsn(ICONST_0);
        run.visitMethodInsn(INVOKESTATIC, probe, "enter", "(I)I", false);
        run.visitMethodInsn(INVOKESTATIC, probe, "exit", "(II)V", false);
        run.visitIincInsn(0, -1);
        run.visitJumpInsn(GOTO, again);
        run.visitLabel(done);
        run.visitFrame(F_SAME, 0, null, 0, null);
        run.visitInsn(RETURN);
        run.visitMaxs(0, 0);
        run.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }
}
