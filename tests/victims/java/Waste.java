/** Known waste: half of the loads of `half` are silent, all stores of `dead` are dead, and all of `silent` silent. */
public class Waste {
    static int[] same = new int[4096], changing = new int[4096];
    static Object kept;

    static long half() {
        long sum = 0;
        for (int i = 0; i < same.length; i++) {
            sum += same[i]; // @same
            sum += changing[i]; // @changing
        }
        return sum;
    }

    static void fill(int[] array, int value) {
        for (int i = 0; i < array.length; i++)
            array[i] = value + i; // @fill
    }

    public static void main(String[] arguments) {
        long sum = 0;
        int rounds = Integer.parseInt(arguments[1]);
        boolean collect = arguments.length > 2;
        for (int round = 0; round < rounds; round++) {
            if (arguments[0].equals("half")) {
                fill(changing, round);
                sum += half();
            } else {
                fill(changing, arguments[0].equals("dead") ? round : 7);
            }
            if (collect)
                kept = new byte[20000];
        }
        System.out.println(sum + changing[5]);
    }
}
