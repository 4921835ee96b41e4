import java.util.Locale;

/** One case of wasted memory traffic, as found and as fixed. */
interface Case {
    /** The same result either way. */
    long before() throws Exception;

    long after() throws Exception;

    /** Case NAME before|after STEPS */
    static void main(String[] args) throws Exception {
        Case one = of(args[0]);
        boolean mended = args[1].equals("after");
        Harness.repeat(args[0], args[2], mended ? one::after : one::before);
    }

    /** The class with the case's name; each is compiled only if what it needs is installed. */
    static Case of(String name) throws ReflectiveOperationException {
        String type = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        return (Case) Class.forName(type).getDeclaredConstructor().newInstance();
    }
}
