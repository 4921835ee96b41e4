import java.util.List;
import java.util.function.Supplier;
import org.jfree.chart.axis.SegmentedTimeline;

/** For every point of a JFreeChart chart, the holidays before a day are counted, from the first to the last. */
final class Holidays implements Case {
    private Timeline drawing;
    private long image;

    @Override
    public long before() {
        return drawn(() -> new SegmentedTimeline(SegmentedTimeline.DAY_SEGMENT_SIZE, 5, 2));
    }

    @Override
    public long after() {
        return drawn(Mended::new);
    }

    /** A JVM sees one of the timelines only. Its first image is part of every result. */
    private long drawn(Supplier<SegmentedTimeline> timeline) {
        if (drawing == null) {
            Timeline.useUtc();
            drawing = new Timeline(timeline.get());
            image = drawing.image();
        }
        return 31 * image + drawing.draw();
    }

    /** The exceptions are sorted: none after one that begins after the end of the range counts. */
    private static final class Mended extends SegmentedTimeline {
        Mended() {
            super(DAY_SEGMENT_SIZE, 5, 2);
        }

        @Override
        public long getExceptionSegmentCount(long from, long to) {
            List<?> exceptions = getExceptionSegments();
            long count = 0;
            for (int i = 0; i < exceptions.size() && from <= to; i++) {
                Segment exception = (Segment) exceptions.get(i);
                if (exception.getSegmentStart() > to) {
                    break;
                }
                Segment common = exception.intersect(from, to);
                count += common == null ? 0 : common.getSegmentCount();
            }
            return count;
        }
    }
}
