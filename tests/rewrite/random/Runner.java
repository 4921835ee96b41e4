import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs the programs that Generate.java has written, and prints how they end. Arguments: how many run at a time, and for
 * how many milliseconds another thread sleeps between collections (0: it does not collect).
 */
public final class Runner {
    private static final int GROUP = 64;
    private static volatile boolean finished;

    private Runner() {
    }

    /** Throws an exception, for generated code. */
    public static void fail() {
        throw new IllegalStateException();
    }

    private static final class Program {
        private String name;
        private int runs;
        private final Map<String, byte[]> classes = new HashMap<>();
        private final Map<String, Integer> loaders = new HashMap<>();

        Program(DataInputStream in) throws IOException {
            name = in.readUTF();
            runs = in.readInt();
            for (int n = in.readInt(); n > 0; n--) {
                String type = in.readUTF();
                loaders.put(type, in.readInt());
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                classes.put(type, bytes);
            }
        }
    }

    /** Defines those classes of a program that it is for. */
    private static final class Loader extends ClassLoader {
        private final Program program;
        private final int number;

        Loader(Program program, int number, ClassLoader parent) {
            super(parent);
            this.program = program;
            this.number = number;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Integer loader = program.loaders.get(name);
            if (loader == null || loader != number) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = program.classes.get(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private static String outcome(Runnable entry) {
        try {
            entry.run();
            return " done";
        } catch (RuntimeException exception) {
            return " " + exception.getClass().getSimpleName();
        } catch (Error error) { // what no program should meet
            return " " + error;
        }
    }

    /** A program in classes of its own. */
    private static final class Run {
        private final Runnable[] entries = new Runnable[2];
        private final StringBuilder outcomes;

        Run(Program program) throws ReflectiveOperationException {
            Loader loader = new Loader(program, 1, new Loader(program, 0, Runner.class.getClassLoader()));
            outcomes = new StringBuilder(program.name);
            for (int i = 0; i < entries.length; i++) {
                entries[i] = (Runnable) loader.loadClass(program.name + ".q.E" + i).getDeclaredConstructor().newInstance();
            }
        }

        void part(int number, ExecutorService other) throws Exception {
            outcomes.append(number == 1 ? other.submit(() -> outcome(entries[1])).get() : outcome(entries[0]));
        }
    }

    /** First the first part of each, and so on: between them objects that live are moved. */
    private static void runGroup(List<Run> group, ExecutorService other, StringBuilder outcomes) throws Exception {
        for (int part = 0; part < 3; part++) {
            for (Run run : group) {
                run.part(part, other);
            }
            System.gc();
        }
        for (Run run : group) {
            outcomes.append(run.outcomes).append('\n');
        }
        group.clear();
    }

    private static String runAll(Program[] programs, int first, int step) throws Exception {
        StringBuilder outcomes = new StringBuilder();
        List<Run> group = new ArrayList<>();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = first; i < programs.length; i += step) {
                for (int n = 0; n < programs[i].runs; n++) {
                    group.add(new Run(programs[i]));
                }
                if (group.size() >= GROUP || i + step >= programs.length) {
                    runGroup(group, other, outcomes);
                }
            }
        } finally {
            other.shutdown();
        }
        return outcomes.toString();
    }

    private static void collect(int pause) {
        while (!finished) {
            System.gc();
            try {
                Thread.sleep(pause);
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int parallel = Integer.parseInt(arguments[0]), pause = Integer.parseInt(arguments[1]);
        Program[] programs;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of("programs"))))) {
            programs = new Program[in.readInt()];
            for (int i = 0; i < programs.length; i++) {
                programs[i] = new Program(in);
            }
        }
        Thread collector = new Thread(() -> collect(pause));
        if (pause > 0) {
            collector.start();
        }
        ExecutorService runners = Executors.newFixedThreadPool(parallel);
        Future<?>[] parts = new Future<?>[parallel];
        for (int i = 0; i < parallel; i++) {
            int first = i;
            parts[i] = runners.submit(() -> runAll(programs, first, parallel));
        }
        try {
            for (Future<?> part : parts) {
                System.out.print(part.get());
            }
        } finally {
            runners.shutdown();
            finished = true;
        }
    }
}
