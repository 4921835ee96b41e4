import java.io.InputStream;

/** Loads the class Unload$Work again this many times, runs it and drops it, so that the collector unloads it. */
public class Unload {
    public static class Work implements Runnable {
        static volatile long sink;

        public void run() {
            long x = 1;
            for (int i = 0; i < 3_000_000; i++) x = x * 31 + i;
            sink = x;
        }
    }

    static class Loader extends ClassLoader {
        private final byte[] code;

        Loader(byte[] code) {
            super(null);
            this.code = code;
        }

        Class<?> define() {
            return defineClass("Unload$Work", code, 0, code.length);
        }
    }

    public static void main(String[] arguments) throws Exception {
        byte[] code;
        try (InputStream in = Unload.class.getResourceAsStream("Unload$Work.class")) {
            code = in.readAllBytes();
        }
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            ((Runnable) new Loader(code).define().getDeclaredConstructor().newInstance()).run();
            if (i % 10 == 9) System.gc();
        }
        System.out.println("done");
    }
}
