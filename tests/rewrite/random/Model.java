import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs a generated program as the definitions say, and counts its pairs. */
final class Model {
    private static final int MOST_STEPS = 6000;

    final Map<String, long[]> pairs = new TreeMap<>(); // kind, both paths: all, wasted
    final List<String> outcomes = new ArrayList<>();
    private final Map<Field, Place> statics = new HashMap<>();
    private final Set<Type> initialized = new HashSet<>();
    private final Path[] roots = {new Path(null, 0, null, List.of()), new Path(null, 0, null, List.of())}; // of the threads
    private final Map<String, Type> types = new HashMap<>(); // by descriptor
    private final Map<String, String> scopes = new HashMap<>(); // of pairs
    private List<Loop> active = List.of(); // in the method that runs, outermost first
    private int thread, steps;
    private int time; // how many headers of loops were passed
    private int part; // of the run

    Model(List<Type> all) {
        for (Type type : all) {
            types.put(type.descriptor(), type);
        }
    }

    /** The program can't be compared. */
    static final class Unfit extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unfit(String why) {
            super(why, null, false, false);
        }
    }

    /** An exception of the program. */
    static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;

        Thrown(String name) {
            super(name, null, false, false);
        }
    }

    /** A method, called on a path. */
    static final class Path {
        private static final int REPETITIONS = 3;
        private final Path parent;
        private final int line; // of the call
        private final Method method;
        private final List<Loop> loops; // around the call, outermost first
        private final Map<String, Path> below = new HashMap<>();
        private final Map<Loop, Integer> passes = new HashMap<>(); // when their headers were last passed

        Path(Path parent, int line, Method method, List<Loop> loops) {
            this.loops = loops;
            this.parent = parent;
            this.line = line;
            this.method = method;
        }

        Path call(int from, Method called, List<Loop> around) {
            return below.computeIfAbsent(from + called.fullName(), key -> {
                int times = 0;
                for (Path at = this; at.parent != null; at = at.parent) {
                    if (at.line == from && at.method == called && at.parent.method == method && ++times == REPETITIONS) {
                        return at;
                    }
                }
                return new Path(this, from, called, around);
            });
        }

        /** How an array is named that this method allocates. */
        String allocation(int at, String descriptor) {
            return text(at) + ">" + Type.nameOf(descriptor) + ".<init>";
        }

        String text(int at) {
            return (parent.parent == null ? "" : parent.text(line) + ">") + method.fullName() + ":" + at;
        }
    }

    /** Of one access. */
    private static final class Access {
        private final int thread, line, time, part;
        private final Path path;
        private final List<Loop> loops;

        Access(Model model, Path path, int line) {
            thread = model.thread;
            time = model.time;
            part = model.part;
            loops = model.active;
            this.path = path;
            this.line = line;
        }

        /** All loops around it, outermost first, each in its method's path. */
        private List<Map.Entry<Path, Loop>> allLoops() {
            List<Map.Entry<Path, Loop>> all = new ArrayList<>();
            List<Path> down = new ArrayList<>();
            for (Path at = path; at != null; at = at.parent) {
                down.add(0, at);
            }
            for (int i = 0; i < down.size(); i++) {
                Path here = down.get(i);
                for (Loop loop : i + 1 < down.size() ? down.get(i + 1).loops : loops) {
                    all.add(Map.entry(here, loop));
                }
            }
            return all;
        }

        /** The outermost loop around both that iterated since the first; "": none. */
        private static String scope(Access first, Access second) {
            if (first.part != second.part) {
                return "";
            }
            List<Map.Entry<Path, Loop>> one = first.allLoops(), two = second.allLoops();
            for (int i = 0; i < one.size() && i < two.size() && one.get(i).equals(two.get(i)); i++) {
                Path path = one.get(i).getKey();
                Loop loop = one.get(i).getValue();
                if (path.passes.get(loop) > first.time) {
                    return path.method.fullName() + ":" + loop.line;
                }
            }
            return "";
        }
    }

    static final class Place {
        private Object value, loadedValue;
        private Access load, store;
        private boolean used; // loaded since the store
        private final String object; // that it is in

        Place(Object value, String object) {
            this.value = value;
            this.object = object;
        }

        /** Without an access. */
        Object value() {
            return value;
        }
    }

    static final class Instance {
        final Type type;
        private final String made;
        private final Map<Field, Place> fields = new HashMap<>();

        Instance(Type type, String made) {
            this.type = type;
            this.made = made;
        }

        Place field(Field field) {
            return fields.computeIfAbsent(field, key -> new Place(Values.zero(field.descriptor), made));
        }
    }

    static final class Array {
        final String descriptor;
        final Place[] elements;

        Array(String descriptor, int length, String made) {
            this.descriptor = descriptor;
            elements = new Place[length];
            for (int i = 0; i < length; i++) {
                elements[i] = new Place(Values.zero(element()), made);
            }
        }

        String element() {
            return descriptor.substring(1);
        }
    }

    /** What a method's code works with. */
    static final class Frame {
        final Model model;
        final Path path;
        final Object[] locals;
        Object result;

        Frame(Model model, Path path, Object[] locals) {
            this.model = model;
            this.path = path;
            this.locals = locals;
        }
    }

    void step() {
        if (++steps > MOST_STEPS) {
            throw new Unfit("takes too long");
        }
    }

    /* ---------------------------------------------------------------------------------------- accesses -- */

    private void count(String kind, String object, Access first, Access second, boolean wasted) {
        if (first != null && first.thread == second.thread) {
            String pair = kind + "\t" + first.path.text(first.line) + "\t" + second.path.text(second.line) + "\t" + object;
            String key = pair + "\t" + scopes.computeIfAbsent(pair, fresh -> Access.scope(first, second));
            long[] counts = pairs.computeIfAbsent(key, fresh -> new long[2]);
            counts[0]++;
            counts[1] += wasted ? 1 : 0;
        }
    }

    Object load(Place place, Path path, int line) {
        step();
        Access now = new Access(this, path, line);
        count("silent-load", place.object, place.load, now, place.load != null && Values.isSame(place.value, place.loadedValue));
        place.load = now;
        place.loadedValue = place.value;
        place.used = true;
        return place.value;
    }

    void store(Place place, Object value, Path path, int line) {
        step();
        Access now = new Access(this, path, line);
        count("silent-store", place.object, place.store, now, Values.isSame(value, place.value));
        count("dead-store", place.object, place.store, now, !place.used);
        place.store = now;
        place.value = value;
        place.used = false;
    }

    /** A field of an object. */
    Place field(Object object, Field field) {
        if (object == null && !initialized.contains(field.owner)) {
            throw new Unfit("has a field of null before its class is initialized, which probes would initialize");
        }
        if (object == null) {
            throw new Thrown("NullPointerException");
        }
        return ((Instance) object).field(field);
    }

    /** A static field. */
    Place field(Field field) {
        return statics.computeIfAbsent(field, key -> new Place(Values.zero(field.descriptor),
            Type.nameOf(field.owner.descriptor()) + "." + field.name));
    }

    /** All elements are loaded, then all are stored; the first that can't be stored ends it. */
    void copy(Array from, int at, Array to, int position, int length, Path path, int line) {
        int count = 0;
        while (count < length && isInstance(from.elements[at + count].value, to.element())) {
            count++;
        }
        Object[] values = new Object[count];
        for (int i = 0; i < count; i++) {
            values[i] = load(from.elements[at + i], path, line);
        }
        for (int i = 0; i < count; i++) {
            store(to.elements[position + i], values[i], path, line);
        }
        if (count < length) {
            throw new Thrown("ArrayStoreException");
        }
    }

    boolean isInstance(Object value, String descriptor) {
        return value == null || !Values.isReference(descriptor) || isAssignable(
            value instanceof Array ? ((Array) value).descriptor : ((Instance) value).type.descriptor(), descriptor);
    }

    private boolean isAssignable(String from, String to) {
        boolean reference = Values.isReference(from) && Values.isReference(to);
        return from.equals(to) || reference && to.equals(Values.OBJECT)
            || reference && types.containsKey(from) && types.containsKey(to) && types.get(from).isA(types.get(to))
            || to.startsWith("[") && from.startsWith("[") && isAssignable(from.substring(1), to.substring(1));
    }

    /** How an object is named whose constructor is called there. */
    String allocation(Type type, Path path, int line) {
        Path called = path.call(line, type.constructor, active);
        return called.parent.allocation(called.line, type.descriptor());
    }

    /* ---------------------------------------------------------------------------------------- methods -- */

    void initialize(Type type, Path path, int line) {
        if (!initialized.add(type)) {
            return;
        }
        if (type.parent != null) {
            initialize(type.parent, path, line);
        }
        if (type.initializer != null) {
            call(type.initializer, path, line);
        }
    }

    Object call(Method method, Path path, int line, Object... arguments) {
        step();
        Object[] locals = new Object[method.locals.size()];
        for (int i = 0; i < locals.length; i++) {
            locals[i] = i < arguments.length ? arguments[i] : Values.zero(method.locals.get(i));
        }
        Frame frame = new Frame(this, path.call(line, method, active), locals);
        List<Loop> around = active;
        active = List.of();
        try {
            execute(method, frame, locals);
        } finally {
            active = around;
        }
        return frame.result;
    }

    private void execute(Method method, Frame frame, Object[] locals) {
        frame.result = method.result.equals("V") ? null : Values.zero(method.result);
        boolean deep = !method.isEntered() && (Integer) locals[method.depthLocal()] <= 0;
        if (method.isConstructor()) {
            construct(method, frame, deep);
        } else if (!deep) {
            Statement.run(method.body, frame);
        }
    }

    private void construct(Method method, Frame frame, boolean deep) {
        Statement.run(method.early, frame);
        if (method.owner.parent != null) {
            call(method.owner.parent.constructor, frame.path, method.superLine, frame.locals[0],
                frame.locals[1], (Integer) frame.locals[method.depthLocal()] - 1);
        }
        if (!deep) {
            Statement.run(method.body, frame);
        }
    }

    /* ---------------------------------------------------------------------------------------- loops -- */

    void enter(Loop loop) {
        List<Loop> inside = new ArrayList<>(active);
        inside.add(loop);
        active = inside;
    }

    void leave() {
        active = active.subList(0, active.size() - 1);
    }

    void pass(Path path, Loop loop) {
        path.passes.put(loop, ++time);
    }

    /** As Runner.java does. */
    void run(Type[] entries) {
        for (Type entry : entries) {
            initialize(entry, roots[0], -1);
        }
        int[] order = {0, 1, 0};
        for (int which : order) {
            thread = which;
            part++;
            String outcome = "done";
            try {
                call(entries[which].methods.get(0), roots[which], 0, new Instance(entries[which], ""));
            } catch (Thrown thrown) {
                outcome = thrown.getMessage();
            }
            outcomes.add(outcome);
        }
    }
}
