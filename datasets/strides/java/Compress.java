/**
 * In the shape of _201_compress: texts are compressed by Lempel and Ziv's method as Welch modified it, with a hash table, and
 * expanded again. The input is read byte by byte, a stride that needs no prefetching, and the table wherever the hash value says.
 * EXPECT line=@letter loop=@letter_loop kind=inter stride=1
 * EXPECT line=@probe kind=none
 *
 * Argument: a factor for the number of texts.
 */
public class Compress {
    static final int BYTES = 200_000;
    static final int BITS = 14;
    static final int SLOTS = 32_749;
    static final int TEXTS = 30;

    final int[] keys = new int[SLOTS];
    final short[] codes = new short[SLOTS];
    final short[] prefixes = new short[1 << BITS];
    final byte[] letters = new byte[1 << BITS];
    final byte[] stack = new byte[1 << BITS];

    /** Compresses a text into codes, and returns how many. */
    int compress(byte[] text, short[] output) {
        java.util.Arrays.fill(keys, -1);
        int free = 256;
        int count = 0;
        int prefix = text[0];
        next:
        for (int i = 1; i < BYTES; i++) { // @letter_loop
            int letter = text[i]; // @letter
            int key = letter << BITS | prefix;
            int slot = (letter << 8 ^ prefix) % SLOTS;
            int step = slot == 0 ? 1 : SLOTS - slot;
            for (int found = keys[slot]; found >= 0; ) { // @probe
                if (found == key) {
                    prefix = codes[slot];
                    continue next;
                }
                slot = slot < step ? slot - step + SLOTS : slot - step;
                found = keys[slot];
            }
            output[count++] = (short) prefix;
            if (free < 1 << BITS) {
                keys[slot] = key;
                codes[slot] = (short) free++;
            }
            prefix = letter;
        }
        output[count++] = (short) prefix;
        return count;
    }

    /** Expands codes, and returns how many bytes there are. */
    int expand(short[] input, int count, byte[] text) {
        int free = 256;
        int length = 0;
        int last = input[0];
        byte first = (byte) last;
        text[length++] = first;
        for (int i = 1; i < count; i++) {
            int code = input[i];
            int depth = 0;
            int at = code;
            if (code >= free) {
                stack[depth++] = first;
                at = last;
            }
            while (at >= 256) {
                stack[depth++] = letters[at];
                at = prefixes[at];
            }
            first = (byte) at;
            text[length++] = first;
            while (depth > 0) {
                text[length++] = stack[--depth];
            }
            if (free < 1 << BITS) {
                prefixes[free] = (short) last;
                letters[free++] = first;
            }
            last = code;
        }
        return length;
    }

    /** Words of a language with 500 of them, of which the first are more frequent. */
    static void write(byte[] text, Numbers numbers) {
        byte[][] words = new byte[500][];
        for (int i = 0; i < words.length; i++) {
            words[i] = new byte[2 + numbers.next(8)];
            for (int k = 0; k < words[i].length; k++) {
                words[i][k] = (byte) ('a' + numbers.next(26));
            }
        }
        int length = 0;
        while (length < BYTES) {
            byte[] word = words[numbers.next(1 + numbers.next(words.length))];
            for (int k = 0; k < word.length && length < BYTES; k++) {
                text[length++] = word[k];
            }
            if (length < BYTES) {
                text[length++] = ' ';
            }
        }
    }

    public static void main(String[] arguments) {
        int texts = Numbers.rounds(arguments, TEXTS);
        Numbers numbers = new Numbers(2003);
        Compress compress = new Compress();
        byte[] text = new byte[BYTES];
        byte[] again = new byte[BYTES];
        short[] output = new short[BYTES];
        long checksum = 0;
        for (int i = 0; i < texts; i++) {
            write(text, numbers);
            int count = compress.compress(text, output);
            int length = compress.expand(output, count, again);
            if (length != BYTES || !java.util.Arrays.equals(text, again)) {
                throw new IllegalStateException("text " + i + " differs");
            }
            checksum = 31 * checksum + count;
        }
        System.out.println("texts " + texts + " checksum " + checksum);
    }
}
