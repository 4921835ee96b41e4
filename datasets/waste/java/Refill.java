import java.util.ArrayList;
import java.util.List;

/** A frame of local variables that becomes a copy of another one, as in an analysis of byte code. */
final class Refill implements Case {
    private static final int FRAMES = 64;
    private static final int SLOTS = 40;
    private final List<List<Integer>> frames = new ArrayList<>();

    Refill() {
        for (int i = 0; i < FRAMES; i++) {
            List<Integer> frame = new ArrayList<>();
            for (int k = 0; k < SLOTS; k++) {
                frame.add(i * SLOTS + k);
            }
            frames.add(frame);
        }
    }

    private interface Copy {
        void run(List<Integer> to, List<Integer> from);
    }

    @Override
    public long before() {
        return copyAll(Refill::clearAndFill);
    }

    @Override
    public long after() {
        return copyAll(Refill::setEach);
    }

    /** clear() stores a null in each slot, and add() the element over it. */
    private static void clearAndFill(List<Integer> to, List<Integer> from) {
        to.clear();
        for (Integer element : from) {
            to.add(element);
        }
    }

    private static void setEach(List<Integer> to, List<Integer> from) {
        for (int i = 0; i < SLOTS; i++) {
            to.set(i, from.get(i));
        }
    }

    private long copyAll(Copy copy) {
        List<Integer> frame = new ArrayList<>(frames.get(0));
        long sum = 0;
        for (int i = 0; i < 10000; i++) {
            copy.run(frame, frames.get(i % FRAMES));
            sum = 31 * sum + frame.get(i % SLOTS);
        }
        return sum;
    }
}
