import edu.umd.cs.findbugs.ba.AnalysisException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import org.apache.bcel.classfile.ClassParser;
import org.apache.bcel.classfile.JavaClass;
import org.apache.bcel.classfile.Method;
import org.apache.bcel.generic.ALOAD;
import org.apache.bcel.generic.BranchInstruction;
import org.apache.bcel.generic.ClassGen;
import org.apache.bcel.generic.ConstantPoolGen;
import org.apache.bcel.generic.GETFIELD;
import org.apache.bcel.generic.INVOKESTATIC;
import org.apache.bcel.generic.Instruction;
import org.apache.bcel.generic.InstructionHandle;
import org.apache.bcel.generic.InstructionList;
import org.apache.bcel.generic.MethodGen;
import org.apache.bcel.generic.TargetLostException;

/**
 * FindBugs copies the state of an analysis into another that has a list already: it clears the list and fills it again.
 */
public final class Frames implements Case {
    private static final String FRAME = "edu.umd.cs.findbugs.ba.Frame";
    private static final String LIST = "slotList";

    private final Findbugs findbugs;
    private boolean mended;

    Frames() throws IOException {
        findbugs = new Findbugs("/usr/share/java/commons-lang.jar");
    }

    @Override
    public long before() throws Exception {
        return findbugs.analyze();
    }

    /** In a separate JVM: the fix stays in effect. */
    @Override
    public long after() throws Exception {
        if (!mended) {
            MethodHandles.privateLookupIn(AnalysisException.class, MethodHandles.lookup()).defineClass(mendedFrame());
            mended = true;
        }
        return findbugs.analyze();
    }

    /** Elements are set in place; only surplus ones are cleared. */
    public static void copy(ArrayList<Object> to, ArrayList<Object> from) {
        int common = Math.min(to.size(), from.size());
        for (int i = 0; i < common; i++) {
            to.set(i, from.get(i));
        }
        if (to.size() > common) {
            to.subList(common, to.size()).clear();
        }
        for (int i = common; i < from.size(); i++) {
            to.add(from.get(i));
        }
    }

    /** The class Frame of the jar, but copy() does what its copyFrom() does with the list. */
    private static byte[] mendedFrame() throws IOException, TargetLostException {
        String file = FRAME.replace('.', '/') + ".class";
        JavaClass frame;
        try (InputStream in = Frames.class.getClassLoader().getResourceAsStream(file)) {
            frame = new ClassParser(in, file).parse();
        }
        ClassGen type = new ClassGen(frame);
        int mended = 0;
        for (Method method : type.getMethods()) {
            if (method.getName().equals("copyFrom")) {
                type.replaceMethod(method, mendedCopyFrom(method, type.getConstantPool()));
                mended++;
            }
        }
        if (mended != 1) {
            throw new IllegalStateException(FRAME + " has " + mended + " methods copyFrom, not one: another FindBugs?");
        }
        return type.getJavaClass().getBytes();
    }

    /** From the first use of the list to the end of the last loop there is nothing but the copy. */
    private static Method mendedCopyFrom(Method method, ConstantPoolGen pool) throws TargetLostException {
        MethodGen code = new MethodGen(method, FRAME, pool);
        code.removeLineNumbers();
        code.removeLocalVariables();
        code.removeLocalVariableTypeTable();
        code.removeCodeAttributes();
        InstructionList list = code.getInstructionList();
        InstructionHandle first = null;
        InstructionHandle last = null;
        for (InstructionHandle at : list) {
            Instruction instruction = at.getInstruction();
            if (first == null && instruction instanceof GETFIELD && ((GETFIELD) instruction).getFieldName(pool).equals(LIST)) {
                first = at.getPrev();
            }
            if (instruction instanceof BranchInstruction) {
                last = at;
            }
        }
        if (first == null || last == null) {
            throw new IllegalStateException(FRAME + ".copyFrom() has no list and loop: another FindBugs?");
        }
        int field = pool.addFieldref(FRAME, LIST, "Ljava/util/ArrayList;");
        InstructionList call = new InstructionList();
        call.append(new ALOAD(0));
        call.append(new GETFIELD(field));
        call.append(new ALOAD(1));
        call.append(new GETFIELD(field));
        call.append(new INVOKESTATIC(pool.addMethodref("Frames", "copy", "(Ljava/util/ArrayList;Ljava/util/ArrayList;)V")));
        list.insert(first, call);
        for (InstructionHandle at = first; at != last.getNext(); at = at.getNext()) {
            at.removeAllTargeters();
        }
        list.delete(first, last);
        code.setMaxStack();
        code.setMaxLocals();
        return code.getMethod();
    }
}
