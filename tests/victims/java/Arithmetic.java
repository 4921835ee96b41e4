/**
 * A loop that computes which element it loads in every way that bytecode has. With the argument "print" it prints these elements;
 * the arguments of probe() are always the same, and what it stores is the same each time.
 */
public class Arithmetic {
    static class Shape {
        long area = 5;
        float scale = 1.5f;
        double weight = -0.25;
        byte small = -7;
        char letter = 'x';
        short middle = -300;
        boolean flag = true;
        int count = 11;
    }

    static class Square extends Shape {
    }

    static int shared = 3;
    static long sharedLong = 1L << 40;
    static double sharedDouble = 2.5;
    static final int[] CHOSEN = new int[64];

    static int probe(int[] table, Object[] shapes, byte[] bytes, char[] chars, short[] shorts, long[] longs, float[] floats,
            double[] doubles, boolean[] booleans, int[][] grid, int seed, long wide, float real, double exact) {
        int sum = 0, at = seed;
        long total = wide;
        float f = real;
        double d = exact;
        int[] own = new int[16];
        long[] ownLongs = new long[4];
        byte[] ownBytes = new byte[8];
        for (int i = 0; i < 20; i++) {
            Shape shape = (Shape) shapes[i % shapes.length];
            at = at * 31 + i - (at >>> 3) + (at << 2) ^ (at >> 1) & 0x55 | i;
            at += (i + 1) / 3 + at % 7 - -i;
            total = total * 1103515245L + 12345L - (total >>> 5) + (total << 3) ^ total >> 2 & 0xffL | i;
            total += total / 7 + total % 13 - (-total >> 1);
            f = f * 1.25f + i - f / 3 - f % 2.5f;
            d = d * 0.75 + i - d / 3 - d % 1.75 + -f;
            at ^= (int) total ^ (int) f ^ (int) d ^ (byte) at ^ (char) at ^ (short) at;
            at ^= (int) (long) f ^ (int) (float) total ^ (int) (double) total ^ (int) (float) d ^ (int) (long) d;
            at ^= (int) (float) i + (int) (double) f + (int) (double) i + (int) (long) i;
            at += (int) (d * 1e300) + (int) (float) (0 / (d - d)) + (int) (long) -1e30f;
            if (total > wide)
                at++;
            if (f < real || f > 100)
                at += 2;
            if (!(d >= exact) || !(f <= Float.NaN))
                at += 3;
            if (d != d)
                at += 4;
            switch (i) {
            case 0: at += 1; break;
            case 1: at += 20; break;
            case 2: at += 300; break;
            default: at -= 5; break;
            }
            switch (i * 100) {
            case 300: at ^= 1; break;
            case 700: at ^= 2; break;
            case -5: at ^= 4; break;
            default: at ^= 8; break;
            }
            at += bytes[i] + chars[i] + shorts[i] + (int) longs[i] + (int) floats[i] + (int) doubles[i] + (booleans[i] ? 1 : 0);
            at += grid[i & 3][i & 1] + grid[1].length;
            own[i & 15] += at;
            ownLongs[i & 3] += total;
            ownBytes[i & 7] = (byte) at;
            at ^= own[i & 15]++ + (int) ownLongs[i & 3] + ownBytes[i & 7];
            shorts[19] = (short) at;
            at += shorts[19];
            shape.area += i;
            shape.count ^= at;
            shape.letter++;
            at += (int) shape.area + (int) shape.scale + (int) (shape.weight * 8) + shape.small + shape.letter + shape.middle
                + (shape.flag ? 1 : 0) + shape.count++;
            shared += i;
            sharedLong -= shared;
            sharedDouble /= 2;
            at ^= shared ^ (int) sharedLong ^ (int) (sharedDouble * 64);
            at += shape instanceof Square ? 1 : 0;
            at += shape == shapes[0] ? 2 : 0;
            at += shape != null ? 4 : 0;
            CHOSEN[i] = at & 1023;
            sum += table[at & 1023];
        }
        return sum;
    }

    static void reset(Object[] shapes, short[] shorts) {
        shared = 3;
        sharedLong = 1L << 40;
        sharedDouble = 2.5;
        shorts[19] = 0;
        for (Object each : shapes) {
            Shape shape = (Shape) each;
            shape.area = 5;
            shape.letter = 'x';
            shape.count = 11;
        }
    }

    public static void main(String[] arguments) {
        int[] table = new int[1024];
        Object[] shapes = {new Shape(), new Square(), new Shape()};
        byte[] bytes = new byte[20];
        char[] chars = new char[20];
        short[] shorts = new short[20];
        long[] longs = new long[20];
        float[] floats = new float[20];
        double[] doubles = new double[20];
        boolean[] booleans = new boolean[20];
        int[][] grid = new int[4][2];
        for (int i = 0; i < 20; i++) {
            bytes[i] = (byte) (i * 37);
            chars[i] = (char) (i * 4000);
            shorts[i] = (short) (i * 4000);
            longs[i] = i * 123456789012L;
            floats[i] = i * 1.75f;
            doubles[i] = -i * 2.25;
            booleans[i] = i % 3 == 0;
            grid[i & 3][i & 1] = i;
        }
        int sum = 0;
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            reset(shapes, shorts);
            sum += probe(table, shapes, bytes, chars, shorts, longs, floats, doubles, booleans, grid, 42, 1L << 33, 3.5f, -7.125);
        }
        System.out.print(sum);
        for (int i = 0; i < 20; i++)
            System.out.print(" " + CHOSEN[i]);
        System.out.println();
    }
}
