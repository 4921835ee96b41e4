package java.lang;

import jdk.internal.vm.annotation.DontInline;

/** Accesses of elements of Object[]. */
public final class AssayReferenceArray {
    private AssayReferenceArray() {
    }

    private static boolean isElement(Object[] array, int index, AssayNode node) {
        return node != AssayNode.MUTE && array != null && index >= 0 && index < array.length;
    }

    /** Whether the last load of the element before or after this one returned the value. */
    private static boolean isAdjacent(AssayShadow shadow, Object[] kept, int index, Object value) {
        return index > 0 && shadow.isLoaded(index - 1) && AssayAccess.same(value, kept[index - 1])
            || index + 1 < kept.length && shadow.isLoaded(index + 1) && AssayAccess.same(value, kept[index + 1]);
    }

    private static void count(AssayShadow shadow, int index, Object value, AssayNode node, int access, int length) {
        if (AssayAccess.LOADS) {
            if (shadow.kept == null) {
                shadow.kept = new Object[length];
            }
            Object[] kept = (Object[]) shadow.kept;
            boolean same = AssayAccess.same(value, kept[index]);
            long last = shadow.load(index);
            shadow.setLoad(index, !AssayAccess.ADJACENT
                ? node.loaded(last, access, same, AssayAccess.references, shadow.made)
                : node.loadedElement(last, access, same, !same && isAdjacent(shadow, kept, index, value),
                    AssayAccess.references, shadow.made));
            if (kept[index] != value) {
                kept[index] = AssayAccess.kept(kept[index], value);
            }
        }
        if (AssayAccess.STORES) {
            shadow.setStore(index, AssayAccess.loaded(shadow.store(index)));
        }
    }

    private static void count(AssayShadow shadow, int index, Object old, Object value, AssayNode node, int access) {
        if (AssayAccess.LOADS && shadow.kept != null) {
            Object[] kept = (Object[]) shadow.kept;
            kept[index] = AssayAccess.kept(kept[index], old, value, node);
        }
        if (AssayAccess.STORES) {
            shadow.setStore(index, node.stored(shadow.store(index), access, value == old,
                8 | AssayAccess.references, shadow.made));
        }
    }

    @DontInline
    public static void load(Object[] array, int index, AssayNode node, int access) {
        if (isElement(array, index, node)) {
            AssayShadow shadow = node.thread.shadow(array, array.length, node.base + access);
            count(shadow, index, array[index], node, access, array.length);
        }
    }

    /** Whether an array takes a value: its elements may be of a narrower type than Object. */
    static boolean takes(Object[] array, Object value) {
        return value == null || array.getClass() == Object[].class || array.getClass().getComponentType().isInstance(value);
    }

    @DontInline
    public static void store(Object[] array, int index, Object value, AssayNode node, int access) {
        if (isElement(array, index, node) && takes(array, value)) {
            AssayShadow shadow = node.thread.shadow(array, array.length, node.base + access);
            count(shadow, index, array[index], value, node, access);
        }
    }

    /** Elements are loaded, then stored elsewhere by the next access; those before the first that can't be stored. */
    static void copy(Object[] from, int at, Object[] to, int position, int all, AssayNode node, int access) {
        int length = from.getClass() == to.getClass() ? all : 0;
        while (length < all && takes(to, from[at + length])) {
            length++;
        }
        AssayShadow source = node.thread.shadow(from, from.length, node.base + access);
        boolean backward = AssayArrays.isBackward(from, at, to, position);
        for (int i = 0; i < length; i++) {
            int index = at + (backward ? length - 1 - i : i);
            count(source, index, from[index], node, access, from.length);
        }
        AssayShadow target = node.thread.shadow(to, to.length, node.base + access + 1);
        for (int i = 0; i < length; i++) {
            count(target, position + i, to[position + i], from[at + i], node, access + 1);
        }
    }

    /** A load through Unsafe, and what it returned. False: there is no such element. */
    static boolean loaded(Object[] array, int index, Object value, AssayNode node, int access) {
        if (!isElement(array, index, node)) {
            return false;
        }
        count(node.thread.shadow(array, array.length, node.base + access), index, value, node, access, array.length);
        return true;
    }

    /** A store through Unsafe over an old value. */
    static boolean stored(Object[] array, int index, Object value, Object old, AssayNode node, int access) {
        if (!isElement(array, index, node)) {
            return false;
        }
        count(node.thread.shadow(array, array.length, node.base + access), index, old, value, node, access);
        return true;
    }
}
