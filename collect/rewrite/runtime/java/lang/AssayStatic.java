package java.lang;

import jdk.internal.vm.annotation.DontInline;

/**
 * What is known of a static field. Classes refer to it by numbers of references; which field one means is asked when it
 * is first used.
 */
public final class AssayStatic {
    private static final AssayStatic UNKNOWN = new AssayStatic(0);
    private static volatile AssayStatic[] references = new AssayStatic[1 << 10];
    private static AssayStatic[] fields = new AssayStatic[1 << 10];

    private long loads;
    private long stores;
    private long kept;
    private Object keptObject;
    private final int object; // what stands for it in place of an allocation

    private AssayStatic(int number) {
        object = -number;
    }

    private static AssayStatic of(int reference) {
        AssayStatic[] all = references;
        AssayStatic found = reference < all.length ? all[reference] : null;
        return found != null ? found : find(reference);
    }

    private static synchronized AssayStatic find(int reference) {
        int number = AssayOutput.field(reference);
        fields = withCapacity(fields, number);
        if (fields[number] == null) {
            fields[number] = number == 0 ? UNKNOWN : new AssayStatic(number);
        }
        AssayStatic[] all = withCapacity(references, reference);
        all[reference] = fields[number];
        references = all;
        return fields[number];
    }

    /** The field with a number that the agent gave it; null: none. */
    static synchronized AssayStatic numbered(int number) {
        if (number <= 0) {
            return null;
        }
        fields = withCapacity(fields, number);
        if (fields[number] == null) {
            fields[number] = new AssayStatic(number);
        }
        return fields[number];
    }

    private static AssayStatic[] withCapacity(AssayStatic[] all, int index) {
        if (index < all.length) {
            return all;
        }
        int length = all.length;
        while (length <= index) {
            length *= 2;
        }
        AssayStatic[] larger = new AssayStatic[length];
        for (int i = 0; i < all.length; i++) {
            larger[i] = all[i];
        }
        return larger;
    }

    private void loaded(boolean same, AssayNode node, int access, int kind) {
        if (AssayAccess.LOADS) {
            loads = node.loaded(this == UNKNOWN ? 0 : loads, access, same, kind, object);
        }
        if (AssayAccess.STORES) {
            stores = AssayAccess.loaded(stores);
        }
    }

    private void stored(boolean same, AssayNode node, int access, int kind) {
        if (AssayAccess.STORES) {
            stores = node.stored(this == UNKNOWN ? 0 : stores, access, same, 8 | kind, object);
        }
    }

    @DontInline
    public static void load(int value, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.loaded(AssayAccess.same(value, (int) field.kept), node, access, kind);
            field.kept = value;
        }
    }

    @DontInline
    public static void load(long value, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.loaded(AssayAccess.same(value, field.kept), node, access, kind);
            field.kept = value;
        }
    }

    @DontInline
    public static void load(float value, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.loaded(AssayAccess.same(value, Float.intBitsToFloat((int) field.kept)), node, access, kind);
            field.kept = Float.floatToRawIntBits(value);
        }
    }

    @DontInline
    public static void load(double value, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.loaded(AssayAccess.same(value, Double.longBitsToDouble(field.kept)), node, access, kind);
            field.kept = Double.doubleToRawLongBits(value);
        }
    }

    @DontInline
    public static void load(Object value, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.loaded(AssayAccess.same(value, field.keptObject), node, access, AssayAccess.references);
            field.keptObject = AssayAccess.kept(field.keptObject, value);
        }
    }

    @DontInline
    public static void store(int value, int old, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            of(reference).stored(AssayAccess.same(value, old), node, access, kind);
        }
    }

    @DontInline
    public static void store(long value, long old, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            of(reference).stored(AssayAccess.same(value, old), node, access, kind);
        }
    }

    @DontInline
    public static void store(float value, float old, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            of(reference).stored(AssayAccess.same(value, old), node, access, kind);
        }
    }

    @DontInline
    public static void store(double value, double old, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            of(reference).stored(AssayAccess.same(value, old), node, access, kind);
        }
    }

    @DontInline
    public static void store(Object value, Object old, AssayNode node, int access, int reference, int kind) {
        if (node != AssayNode.MUTE) {
            AssayStatic field = of(reference);
            field.keptObject = AssayAccess.kept(field.keptObject, old, value, node);
            field.stored(value == old, node, access, AssayAccess.references);
        }
    }

    /* Accesses through Unsafe. Values of primitive types are as `kept` has them. */

    long kept() {
        return kept;
    }

    void loaded(long value, boolean same, AssayNode node, int access, int kind) {
        loaded(same, node, access, kind);
        kept = value;
    }

    void loaded(Object value, AssayNode node, int access) {
        loaded(AssayAccess.same(value, keptObject), node, access, AssayAccess.references);
        keptObject = AssayAccess.kept(keptObject, value);
    }

    void storedOver(boolean same, AssayNode node, int access, int kind) {
        stored(same, node, access, kind);
    }

    void storedOver(Object old, Object value, AssayNode node, int access) {
        keptObject = AssayAccess.kept(keptObject, old, value, node);
        stored(value == old, node, access, AssayAccess.references);
    }
}
