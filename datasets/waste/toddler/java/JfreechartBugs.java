import java.util.List;
import org.jfree.chart.axis.SegmentedTimeline;
import org.jfree.data.time.Day;
import org.jfree.data.time.RegularTimePeriod;
import org.jfree.data.time.TimeSeries;
import org.jfree.data.time.TimeSeriesDataItem;

/** Bugs of JFreeChart, in the library itself: 1.0.19. */
final class JfreechartBugs {
    private static final long DAY = SegmentedTimeline.DAY_SEGMENT_SIZE;

    private JfreechartBugs() {
    }

    /** Stops at the first exception that begins after the range; exceptions are sorted. */
    private static final class SortedTimeline extends SegmentedTimeline {
        SortedTimeline() {
            super(DAY, 5, 2);
        }

        @Override
        public long getExceptionSegmentCount(long from, long to) {
            List<?> all = getExceptionSegments();
            int count = 0;
            for (Object one : all) {
                Segment segment = (Segment) one;
                if (segment.getSegmentStart() > to) {
                    break;
                }
                if (segment.intersect(from, to) != null) {
                    count++;
                }
            }
            return count;
        }
    }

    static long countExceptions(boolean fixed) {
        SegmentedTimeline line = fixed ? new SortedTimeline() : new SegmentedTimeline(DAY, 5, 2);
        line.setStartTime(SegmentedTimeline.firstMondayAfter1900());
        for (int week = 0; week < Bugs.SIZE; week++) {
            line.addException(line.getStartTime() + week * 7 * DAY);
        }
        long sum = 0;
        for (int week = 0; week < Bugs.SIZE; week++) {
            long from = line.getStartTime() + week * 2 * DAY;
            sum += line.getExceptionSegmentCount(from, from + 7 * DAY);
        }
        return sum;
    }

    static long deleteRange(boolean fixed) {
        TimeSeries series = new TimeSeries("series");
        RegularTimePeriod day = new Day(1, 1, 2001);
        for (int i = 0; i < 2 * Bugs.SIZE; i++, day = day.next()) {
            series.add(new TimeSeriesDataItem(day, Double.valueOf(i * 0.1)), false);
        }
        if (fixed) {
            TimeSeries rest = new TimeSeries("series");
            for (int i = Bugs.SIZE; i < 2 * Bugs.SIZE; i++) {
                rest.add(series.getDataItem(i), false);
            }
            series = rest;
        } else {
            series.delete(0, Bugs.SIZE - 1, false);
        }
        return Bugs.checksum(series.getItems());
    }
}
