package assay.methods;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Inserts probes into the methods of a class as it loads. The agent calls this from its ClassFileLoadHook, in a
 * separate class loader, so that ASM never meets the program's.
 */
public final class Rewriter {
    /** The last version that this ASM reads; later ones have the same instructions. */
    private static final int KNOWN_MAJOR = Opcodes.V20 & 0xffff;

    private static Selection selection;
    private static String probe = Generated.PROBE;

    private Rewriter() {
    }

    /** A method gets a number; the agent keeps the names. -1: it has lost its probes. */
    static native int define(String className, String name, String descriptor, String file);

    /** Something was left unchanged: which of the agent's counters, and what (for a message). */
    static native void skipped(int reason, String what);

    static final int SKIPPED_TOO_LARGE = 0;
    static final int SKIPPED_CONSTRUCTOR = 1;
    static final int SKIPPED_CLASS = 2;

    /** Returns the classes that the agent defines: the probe, then a loop of empty pairs. */
    public static byte[][] start(boolean chooses, int minBytes, boolean loopRule, String include, String exclude,
            String methods) {
        selection = new Selection(minBytes, loopRule, include, exclude, methods);
        probe = chooses ? Generated.CHOOSER : Generated.PROBE;
        byte[][] made = {chooses ? Generated.chooser() : Generated.probe(), Generated.pairs(probe)};
        tryOut(made[1]);
        return made;
    }

    /** What was requested by name but is in no loaded class; one per line. */
    public static String missing() {
        return selection.missing();
    }

    /** Loads all that rewriting needs now, and not in the middle of loading something else. */
    private static void tryOut(byte[] bytes) {
        Selection all = new Selection(0, true, "", "", null);
        new Attempt(all, bytes, true).run(new HashSet<>());
    }

    /** The class with probes; null: unchanged. */
    public static byte[] rewrite(ClassLoader loader, String name, byte[] bytes) {
        boolean system = loader == null || loader == ClassLoader.getPlatformClassLoader();
        if (name == null || name.startsWith("assay/methods/") || name.equals(probe) || !selection.mayHave(name, system)) {
            return null;
        }
        try {
            return attempt(selection, bytes, false);
        } catch (Throwable failure) { // whatever it is, the program continues without probes in this class
            skipped(SKIPPED_CLASS, name.replace('/', '.') + ": " + failure);
            return null;
        }
    }

    /** For tests: every method gets probes, and nothing is reported to the agent. */
    static byte[] rewriteAll(byte[] bytes) {
        return attempt(new Selection(0, true, "", "", null), bytes, true);
    }

    private static byte[] attempt(Selection which, byte[] bytes, boolean unknown) {
        Set<String> without = new HashSet<>();
        while (true) {
            try {
                return new Attempt(which, bytes, unknown).run(without);
            } catch (MethodTooLargeException large) {
                String method = large.getMethodName() + large.getDescriptor();
                if (!without.add(method)) {
                    throw large;
                }
            }
        }
    }

    /** One attempt at a class: some methods may turn out too large with their probes. */
    private static final class Attempt {
        private final Selection which;
        private final byte[] bytes;
        private final boolean unknown;
        private final int major;

        Attempt(Selection which, byte[] bytes, boolean unknown) {
            this.which = which;
            this.unknown = unknown;
            this.major = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
            this.bytes = major > KNOWN_MAJOR ? withMajor(bytes.clone(), KNOWN_MAJOR) : bytes;
        }

        byte[] run(Set<String> without) {
            ClassReader reader = new ClassReader(bytes);
            int[] sizes = CodeSizes.of(reader);
            ClassNode node = new ClassNode();
            reader.accept(node, ClassReader.EXPAND_FRAMES);
            boolean changed = false;
            for (int i = 0; i < node.methods.size(); i++) {
                MethodNode method = node.methods.get(i);
                if (sizes[i] == 0 || !which.has(node.name, method, sizes[i])) {
                    continue;
                }
                changed |= give(node, method, sizes[i], without.contains(method.name + method.desc));
            }
            if (!changed) {
                return null;
            }
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            node.accept(writer);
            return withMajor(writer.toByteArray(), major);
        }

        private boolean give(ClassNode node, MethodNode method, int size, boolean tooLarge) {
            String name = node.name.replace('/', '.');
            Probes probes = new Probes(node, method, probe);
            int reason = tooLarge || size > Probes.LARGEST ? SKIPPED_TOO_LARGE : probes.fit() ? -1 : SKIPPED_CONSTRUCTOR;
            if (reason >= 0) {
                if (!unknown) {
                    skipped(reason, name + "." + method.name);
                }
                return false;
            }
            int number = unknown ? 1 : define(name, method.name, method.desc, node.sourceFile == null ? "" : node.sourceFile);
            if (number >= 0) {
                probes.insert(number);
            }
            return number >= 0;
        }

        private static byte[] withMajor(byte[] bytes, int major) {
            bytes[6] = (byte) (major >> 8);
            bytes[7] = (byte) major;
            return bytes;
        }
    }
}
