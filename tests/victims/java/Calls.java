/** main calls a, a calls b, b calls c, and nothing else: any other stack is wrong. Mostly calls, little work. */
public class Calls {
    static int sink;

    static int c(int x) {
        return x * 31 + 7;
    }

    static int b(int x) {
        return c(x) + c(x + 1);
    }

    static int a(int x) {
        int sum = 0;
        for (int i = 0; i < 100; i++) sum += b(x + i);
        return sum;
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) sink += a(i);
        System.out.println(sink);
    }
}
