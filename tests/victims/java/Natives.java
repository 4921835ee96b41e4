import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Spends its time in native methods for this many rounds. */
public class Natives {
    static byte[] data = new byte[1 << 20];
    static byte[] packed = new byte[1 << 21];

    static int squeeze() {
        Deflater deflater = new Deflater(6);
        deflater.setInput(data);
        deflater.finish();
        int size = deflater.deflate(packed);
        deflater.end();
        return size;
    }

    public static void main(String[] arguments) {
        long seed = 1;
        for (int i = 0; i < data.length; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            data[i] = (byte) ("abcdefgh".charAt((int) (seed >>> 61)));
        }
        CRC32 sum = new CRC32();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            sum.update(packed, 0, squeeze());
            sum.update(data);
        }
        System.out.println(sum.getValue());
    }
}
