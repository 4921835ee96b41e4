/** One case of wasted memory traffic, as it was found and as it was mended. */
interface Case {
    /** The same result either way. */
    long before();

    long after();

    /** Case NAME before|after STEPS */
    static void main(String[] args) throws Exception {
        Case one = of(args[0]);
        boolean mended = args[1].equals("after");
        Harness.repeat(args[0], args[2], mended ? one::after : one::before);
    }

    static Case of(String name) {
        switch (name) {
        case "fft": return new Fft();
        case "randlc": return new Randlc();
        case "union": return new Union();
        case "refill": return new Refill();
        case "contains": return new Contains();
        default: throw new IllegalArgumentException(name + ": no such case");
        }
    }
}
