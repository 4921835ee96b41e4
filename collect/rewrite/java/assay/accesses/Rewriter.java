package assay.accesses;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rewrites classes as they load. The agent calls this from its ClassFileLoadHook, in a separate class loader, so that
 * ASM never meets the program's.
 */
public class Rewriter implements Program {
    private static final Set<String> UNCHANGED = ConcurrentHashMap.newKeySet(); // classes
    private static final Set<String> INTRINSICS = new HashSet<>();

    private final ClassLoader loader;

    private Rewriter(ClassLoader loader) {
        this.loader = loader;
    }

    private static boolean bursts, lengths, memory;
    private final Map<String, Integer> references = new HashMap<>();

    /** The number of a method that gets a description later. */
    static native int reserveNumber();

    /** Describes the method with a number. */
    static native void define(int number, byte[] description);

    /** The number of a reference to a field, in classes of a loader. */
    static native int reference(ClassLoader loader, String owner, String name, String descriptor);

    /** Something was left unchanged. */
    static native void skipped(String what);

    /** Takes the methods that have a copy, one per line, what is prepared (prepared.h), and loads all that rewriting needs. */
    public static void start(String intrinsics, String variant) throws IOException {
        bursts = variant.contains("bursts");
        lengths = variant.contains("lengths");
        memory = variant.contains("memory");
        Collections.addAll(INTRINSICS, intrinsics.split("\n"));
        Rewriter nobody = new Rewriter(null) {
            @Override
            public int reference(String owner, String name, String descriptor) {
                return 1;
            }

            @Override
            public int reserve() {
                return 1;
            }

            @Override
            public void define(int number, Description description) {
            }
        };
        Accesses.rewrite(Rewriter.class.getResourceAsStream("Rewriter.class").readAllBytes(), nobody);
    }

    /** Classes, one per line, that have loaded as they are. */
    public static void leave(String names) {
        for (String name : names.split("\n")) {
            UNCHANGED.add(name);
        }
    }

    /** The class with probes; null: unchanged. */
    public static byte[] rewrite(ClassLoader loader, String name, byte[] bytes) {
        if (Accesses.isLeftAlone(name)) {
            return null;
        }
        try {
            return Accesses.rewrite(bytes, new Rewriter(loader));
        } catch (Throwable failure) { // whatever it is, the program continues with this class as it is
            UNCHANGED.add(name);
            skipped(name.replace('/', '.') + ": " + failure);
            return null;
        }
    }

    /** A class that loads later is rewritten, too. */
    @Override
    public boolean hasShadow(String owner, String name, String descriptor) {
        return memory || !owner.startsWith("[") && !Accesses.isLeftAlone(owner) && Fields.canGrow(owner) && !UNCHANGED.contains(owner);
    }

    @Override
    public int reference(String owner, String name, String descriptor) {
        String key = owner + ' ' + name + ' ' + descriptor;
        Integer known = references.get(key);
        if (known == null) {
            known = reference(loader, owner, name, descriptor);
            references.put(key, known);
        }
        return known;
    }

    @Override
    public boolean isIntrinsic(String owner, String name, String descriptor) {
        return INTRINSICS.contains(owner + ' ' + name + ' ' + descriptor);
    }

    @Override
    public boolean hasBursts() {
        return bursts;
    }

    @Override
    public boolean hasLengths() {
        return lengths;
    }

    @Override
    public boolean hasMemory() {
        return memory;
    }

    @Override
    public int reserve() {
        return reserveNumber();
    }

    @Override
    public void define(int number, Description description) {
        define(number, description.bytes());
    }

    @Override
    public void skipped(String what, String why) {
        skipped(what + ": " + why);
    }
}
