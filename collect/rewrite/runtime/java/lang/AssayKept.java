package java.lang;

import java.lang.ref.WeakReference;

/** The reference that was loaded last from a place that now holds another one. */
final class AssayKept extends WeakReference<Object> {
    AssayKept(Object object) {
        super(object);
    }
}
