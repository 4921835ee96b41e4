import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** Runs the function work() of a script in the Jython interpreter. */
public final class Jython {
    public static void main(String[] args) throws Exception {
        try (PythonInterpreter python = new PythonInterpreter()) {
            python.set("__name__", "work");
            python.execfile(args[1]);
            PyObject work = python.get("work");
            Harness.repeat("jython", args[0], () -> work.__call__().asLong());
        }
    }
}
