package assay.methods;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;

/** Which methods get probes: those named in a list, or else all above a size or with a loop, limited by patterns. */
final class Selection {
    private final int minBytes;
    private final boolean loopRule;
    private final List<Pattern> include;
    private final List<Pattern> exclude;
    private final Set<String> named; // null: no list; a.b.C.name, or a.b.C.name(int,String[]) as tables print it
    private final Set<String> namedClasses = new HashSet<>();
    private final Set<String> found = new HashSet<>();

    /** Patterns and names are separated by newlines; methods null: no list. */
    Selection(int minBytes, boolean loopRule, String include, String exclude, String methods) {
        this.minBytes = minBytes;
        this.loopRule = loopRule;
        this.include = patterns(include);
        this.exclude = patterns(exclude);
        this.named = methods == null ? null : new TreeSet<>();
        for (String word : methods == null ? List.<String>of() : words(methods)) {
            named.add(word.contains("(") ? nameOf(word) + parametersOf(word) : word);
        }
        for (String word : named == null ? Set.<String>of() : named) {
            String name = nameOf(word);
            int dot = name.lastIndexOf('.');
            namedClasses.add(dot < 0 ? "" : name.substring(0, dot));
        }
    }

    private static List<String> words(String lines) {
        List<String> words = new ArrayList<>();
        for (String line : lines.split("\n")) {
            String word = line.strip();
            if (!word.isEmpty() && !word.startsWith("#")) {
                words.add(word);
            }
        }
        return words;
    }

    private static String nameOf(String word) {
        int parameters = word.indexOf('(');
        return parameters < 0 ? word : word.substring(0, parameters);
    }

    /** What follows a name, without spaces and packages, up to the first closing parenthesis. */
    private static String parametersOf(String word) {
        int end = word.indexOf(')');
        String inside = word.substring(word.indexOf('(') + 1, end < 0 ? word.length() : end);
        return "(" + inside.replaceAll("\\s", "").replaceAll("[\\w$.]*\\.", "") + ")";
    }

    /** The same for a descriptor. */
    private static String parametersOf(Type[] types) {
        List<String> names = new ArrayList<>();
        for (Type type : types) {
            names.add(type.getClassName().replaceAll("[^,]*\\.", ""));
        }
        return "(" + String.join(",", names) + ")";
    }

    private static List<Pattern> patterns(String lines) {
        List<Pattern> patterns = new ArrayList<>();
        for (String word : words(lines)) {
            StringBuilder expression = new StringBuilder();
            for (String part : nameOf(word).split("\\*", -1)) {
                expression.append(expression.length() == 0 ? "" : ".*").append(part.isEmpty() ? "" : Pattern.quote(part));
            }
            patterns.add(Pattern.compile(word.startsWith("*") ? ".*" + expression : expression.toString()));
        }
        return patterns;
    }

    /** A pattern is for a class or a method: java.util.HashMap, java.util.*, *.put. */
    private static boolean matches(List<Pattern> patterns, String className, String method) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(className).matches() || pattern.matcher(className + "." + method).matches()) {
                return true;
            }
        }
        return false;
    }

    /** Whether to look into a class at all. The JDK's own are left alone unless requested. */
    boolean mayHave(String internalName, boolean system) {
        if (named != null) {
            return namedClasses.contains(internalName.replace('/', '.'));
        }
        return !system || !include.isEmpty();
    }

    boolean has(String owner, MethodNode method, int size) {
        String className = owner.replace('/', '.');
        if (named != null) {
            String name = className + "." + method.name;
            String overload = name + parametersOf(Type.getArgumentTypes(method.desc));
            synchronized (found) {
                return (named.contains(name) && mark(name)) | (named.contains(overload) && mark(overload));
            }
        }
        if (!include.isEmpty() && !matches(include, className, method.name)
                || matches(exclude, className, method.name)) {
            return false;
        }
        return size > minBytes || loopRule && hasLoop(method.instructions);
    }

    private boolean mark(String name) {
        found.add(name);
        return true;
    }

    String missing() {
        if (named == null) {
            return "";
        }
        Set<String> rest = new TreeSet<>(named);
        rest.removeAll(found);
        return String.join("\n", rest);
    }

    /**
     * A branch to an earlier instruction. Labels are told apart by their places: their hash codes would be taken from
     * the sequence of the thread's, which a program may print.
     */
    private static boolean hasLoop(InsnList instructions) {
        int location = 0;
        for (AbstractInsnNode at : instructions) {
            if (at instanceof JumpInsnNode && instructions.indexOf(((JumpInsnNode) at).label) < location
                    || at instanceof TableSwitchInsnNode
                            && isBefore(instructions, location, ((TableSwitchInsnNode) at).dflt, ((TableSwitchInsnNode) at).labels)
                    || at instanceof LookupSwitchInsnNode
                            && isBefore(instructions, location, ((LookupSwitchInsnNode) at).dflt, ((LookupSwitchInsnNode) at).labels)) {
                return true;
            }
            location++;
        }
        return false;
    }

    private static boolean isBefore(InsnList instructions, int location, LabelNode other, List<LabelNode> labels) {
        boolean before = instructions.indexOf(other) < location;
        for (LabelNode label : labels) {
            before |= instructions.indexOf(label) < location;
        }
        return before;
    }
}
