#!/bin/sh
# Engine rewrite: programs do what they do without it, however they end, and what was counted is not lost.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root"/tests/victims/java/Leave.java "$root"/tests/victims/java/Methods.java "$root"/tests/victims/java/Lambdas.java \
    "$root"/tests/victims/java/Unload.java "$root"/tests/victims/java/Deep.java "$root"/tests/victims/java/Shapes.java || exit 1

same 'a stack overflow' Deep 1
same 'lambdas and streams' Lambdas 1
same 'classes that are unloaded' Unload 30
same 'methods of every shape' Shapes
same 'calls of every kind' Methods
for how in return exit halt exception; do
    same "ends by $how" Leave $how
    grep '^Leave' pairs >own
    like own '^Leave.work silent-load [0-9]{4}' '  what its threads counted is there'
done
same 'JNI is used as it should be' -Xcheck:jni Lambdas 1

# A program that is killed loses at most the last second or so.
cat >Killed.java <<'EOT'
public class Killed {
    static int x;
    static void step() {
        x++;
    }
    public static void main(String[] arguments) throws Exception {
        for (long end = System.currentTimeMillis() + 4000; System.currentTimeMillis() < end; ) {
            step();
        }
        new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
        Thread.sleep(60000);
    }
}
EOT
compile_java Killed.java || exit 1
counted waste Killed
is "$status" 137 'a program that is killed: its status'
grep '^Killed' pairs >own
like own '^Killed.step silent-store [0-9]{4}' '  what it had counted is there'
"$waste" traces/*.trace >table 2>warnings
like warnings 'unfinished|cut|killed|not complete|incomplete' '  and the trace says that it is not whole'

# What is added to classes is not seen by reflection and serialization.
cat >Reflected.java <<'EOT'
import java.io.*;
import java.lang.reflect.*;
import java.util.*;
public class Reflected implements Serializable {
    int a; protected String b; private static long c; transient double d;
    interface Shape { Object o = new Object(); default int area() { return 1; } }
    enum Kind { ONE, TWO }
    int method(int x) { return a + x; }
    public static String boxed(boolean z, byte b, char c, short s, int i, long j, float f, double d) {
        return "" + z + b + c + s + i + j + f + d;
    }
    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>();
        for (Class<?> c : new Class<?>[] {Reflected.class, Kind.class, Shape.class, Thread.class, String.class, ArrayList.class}) {
            for (Field f : c.getDeclaredFields()) names.add(c.getSimpleName() + "." + f.getName());
            for (Method m : c.getDeclaredMethods()) names.add(c.getSimpleName() + "." + m.getName() + m.getParameterCount());
            for (Method m : c.getMethods()) names.add(c.getSimpleName() + ".." + m.getName() + m.getParameterCount());
        }
        Collections.sort(names);
        System.out.println(names.size() + " " + names.hashCode());
        System.out.println(ObjectStreamClass.lookup(Reflected.class).getSerialVersionUID());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        Reflected r = new Reflected();
        r.a = 7; r.b = "text"; r.d = 1.5;
        out.writeObject(r); out.writeObject(Kind.TWO); out.writeObject(new HashMap<>(Map.of("k", 1)));
        out.flush();
        System.out.println(Arrays.hashCode(bytes.toByteArray()));
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        System.out.println(((Reflected) in.readObject()).a + " " + in.readObject() + " " + in.readObject());
        for (Method m : Reflected.class.getMethods()) {
            if (m.getName().equals("boxed")) {
                System.out.println(m.invoke(null, true, (byte) -2, 'x', (short) -300, 70000, 1L << 40, 1.5f, Math.PI));
            }
        }
        try {
            System.out.println("text".charAt(Integer.parseInt("4")));
        } catch (StringIndexOutOfBoundsException e) {
            for (StackTraceElement each : e.getStackTrace()) System.out.println(each);
        }
        double sum = 0;
        for (int i = 1; i < 20000; i++) sum += Math.sin(i) * Math.exp(i % 10) + Math.pow(i, 1.1) + Math.log(i) + Math.tan(i);
        System.out.println(sum);
        StackTraceElement[] trace = new Throwable().getStackTrace();
        System.out.println(trace.length + " " + trace[0]);
        Set<Thread> threads = Thread.getAllStackTraces().keySet();
        int others = 0;
        for (Thread t : threads) others += t.getName().contains("assay") ? 1 : 0;
        System.out.println(others);
    }
}
EOT
compile_java Reflected.java || exit 1
same 'reflection, serialization, boxes, stack traces and threads' Reflected

# Nothing to record: one line says so.
"$record" -q -m waste -E rewrite -o none -- true >out 2>err
is "$?" 1 'a command without a JVM'
like err 'no Java virtual machine' '  one line says so'
done_testing
