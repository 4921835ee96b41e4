/** A radix-2 transform of interleaved complex numbers, forwards and backwards. */
final class Fft implements Case {
    private static final int LOG = 14;
    private static final int N = 1 << LOG;

    private interface Butterflies {
        void run(double[] data, int dual, double wReal, double wImag, int a);
    }

    @Override
    public long before() {
        return thereAndBack(Fft::reload);
    }

    @Override
    public long after() {
        return thereAndBack(Fft::keep);
    }

    /** data[i] and data[i + 1] are loaded again after data[j] was stored, which might alias them. */
    private static void reload(double[] data, int dual, double wReal, double wImag, int a) {
        for (int b = a; b < N; b += 2 * dual) {
            int i = 2 * b;
            int j = 2 * (b + dual);
            double zReal = data[j];
            double zImag = data[j + 1];
            double real = wReal * zReal - wImag * zImag;
            double imag = wReal * zImag + wImag * zReal;
            data[j] = data[i] - real;
            data[j + 1] = data[i + 1] - imag;
            data[i] += real;
            data[i + 1] += imag;
        }
    }

    private static void keep(double[] data, int dual, double wReal, double wImag, int a) {
        for (int b = a; b < N; b += 2 * dual) {
            int i = 2 * b;
            int j = 2 * (b + dual);
            double zReal = data[j];
            double zImag = data[j + 1];
            double real = wReal * zReal - wImag * zImag;
            double imag = wReal * zImag + wImag * zReal;
            double iReal = data[i];
            double iImag = data[i + 1];
            data[j] = iReal - real;
            data[j + 1] = iImag - imag;
            data[i] = iReal + real;
            data[i + 1] = iImag + imag;
        }
    }

    private static void reverse(double[] data) {
        for (int i = 0; i < N; i++) {
            int j = Integer.reverse(i) >>> (32 - LOG);
            if (i < j) {
                swap(data, 2 * i, 2 * j);
                swap(data, 2 * i + 1, 2 * j + 1);
            }
        }
    }

    private static void swap(double[] data, int i, int j) {
        double kept = data[i];
        data[i] = data[j];
        data[j] = kept;
    }

    private static void transform(double[] data, int sign, Butterflies butterflies) {
        reverse(data);
        for (int dual = 1; dual < N; dual *= 2) {
            for (int a = 0; a < dual; a++) {
                double angle = sign * Math.PI * a / dual;
                butterflies.run(data, dual, Math.cos(angle), Math.sin(angle), a);
            }
        }
    }

    private static long thereAndBack(Butterflies butterflies) {
        double[] data = new double[2 * N];
        for (int i = 0; i < data.length; i++) {
            data[i] = i % 1000 / 8.0;
        }
        for (int i = 0; i < 8; i++) {
            transform(data, -1, butterflies);
            transform(data, 1, butterflies);
            for (int k = 0; k < data.length; k++) {
                data[k] /= N;
            }
        }
        long sum = 0;
        for (double value : data) {
            sum = 31 * sum + Math.round(value * 8);
        }
        return sum;
    }
}
