import java.lang.invoke.MethodHandles;
import java.util.function.IntBinaryOperator;

/** Loads a new class in each round and works in it: nearly all of its stores store the value that is there. */
public class Classes {
    /** Loaded again and again, each time as another class. */
    static class Worker implements IntBinaryOperator {
        static final int[] SAME = new int[64];

        public int applyAsInt(int value, int times) {
            for (int i = 0; i < times; i++)
                SAME[i % 64] = value;
            return SAME[5];
        }
    }

    public static void main(String[] arguments) throws Exception {
        byte[] code;
        try (var in = Classes.class.getResourceAsStream("Classes$Worker.class")) {
            code = in.readAllBytes();
        }
        long sum = 0;
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            Class<?> worker = MethodHandles.lookup().defineHiddenClass(code, true).lookupClass();
            var operator = (IntBinaryOperator) worker.getDeclaredConstructor().newInstance();
            sum += operator.applyAsInt(7, 4000);
        }
        System.out.println(sum);
    }
}
