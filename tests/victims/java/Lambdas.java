import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** Exceptions, lambdas, method handles, streams: code from classes that have no file. */
public class Lambdas {
    static long thrown;

    static long fail(long x) {
        if (x % 3 == 0) throw new IllegalArgumentException("three");
        return x;
    }

    static long catching(long x) {
        try {
            return fail(x);
        } catch (IllegalArgumentException e) {
            return e.getStackTrace().length + thrown++;
        }
    }

    static long round(long i) {
        LongUnaryOperator twice = x -> x * 2 + i;
        return LongStream.range(0, 20_000).map(twice).map(Lambdas::catching).filter(x -> x % 2 == 0).sum();
    }

    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) sum += round(i);
        System.out.println(sum);
    }
}
