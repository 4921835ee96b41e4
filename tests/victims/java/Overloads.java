import java.util.List;

/** Two methods with one name: one is called twice with a number, the other three times with a list. */
public class Overloads {
    static int twice(int n) {
        return n * 2;
    }

    static int twice(String[] words, List<String> more) {
        return words.length + more.size();
    }

    public static void main(String[] arguments) {
        int sum = twice(1) + twice(2);
        for (int i = 0; i < 3; i++) {
            sum += twice(arguments, List.of("a"));
        }
        System.out.println(sum);
    }
}
