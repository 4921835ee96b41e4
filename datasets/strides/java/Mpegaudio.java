/**
 * In the shape of _222_mpegaudio: the filter bank of a decoder. 32 samples at a time are multiplied by a matrix of cosines, and
 * by a window. All its tables have 24 KB: their loads have strides, but seldom miss a cache.
 * EXPECT line=@sample loop=@matrix_loop kind=inter stride=8
 * EXPECT line=@cosine loop=@matrix_loop kind=inter stride=8
 *
 * Argument: a factor for the number of frames.
 */
public class Mpegaudio {
    static final int BANDS = 32;
    static final int POINTS = 64;
    static final int FRAMES = 60_000;

    final double[] cosines = new double[POINTS * BANDS];
    final double[] window = new double[8 * POINTS];
    final double[] delayed = new double[8 * POINTS];
    final double[] samples = new double[BANDS];

    Mpegaudio() {
        for (int i = 0; i < POINTS; i++) {
            for (int k = 0; k < BANDS; k++) {
                cosines[i * BANDS + k] = StrictMath.cos((16 + i) * (2 * k + 1) * Math.PI / POINTS);
            }
        }
        for (int i = 0; i < window.length; i++) {
            window[i] = StrictMath.sin(Math.PI * i / window.length) / 8;
        }
    }

    void matrix(int at) {
        for (int i = 0; i < POINTS; i++) {
            double sum = 0;
            for (int k = 0; k < BANDS; k++) { // @matrix_loop
                double sample = samples[k]; // @sample
                sum += sample * cosines[i * BANDS + k]; // @cosine
            }
            delayed[at * POINTS + i] = sum;
        }
    }

    double output(int at) {
        double all = 0;
        for (int i = 0; i < BANDS; i++) {
            double sum = 0;
            for (int k = 0; k < 8; k++) {
                sum += delayed[(at + k) % 8 * POINTS + i + k % 2 * BANDS] * window[k * POINTS + i];
            }
            all = 0.999 * all + sum;
        }
        return all;
    }

    public static void main(String[] arguments) {
        int frames = Numbers.rounds(arguments, FRAMES);
        Numbers numbers = new Numbers(2003);
        Mpegaudio decoder = new Mpegaudio();
        double sum = 0;
        for (int frame = 0; frame < frames; frame++) {
            for (int k = 0; k < BANDS; k++) {
                decoder.samples[k] = (numbers.next(2000) - 1000) / 1000.0;
            }
            decoder.matrix(frame % 8);
            sum = 0.999 * sum + decoder.output(frame % 8);
        }
        System.out.println("frames " + frames + " checksum " + Double.doubleToLongBits(sum));
    }
}
