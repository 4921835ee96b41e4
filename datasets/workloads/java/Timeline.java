import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Random;
import java.util.TimeZone;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.ChartRenderingInfo;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.DateAxis;
import org.jfree.chart.axis.SegmentedTimeline;
import org.jfree.data.time.Day;
import org.jfree.data.time.TimeSeries;
import org.jfree.data.time.TimeSeriesCollection;

/** Draws the prices of many shares over years of working days, with an axis that omits weekends and holidays. */
public final class Timeline {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 800;
    private static final int YEARS = 12;
    private static final int FIRST_YEAR = 2000;
    private static final int SHARES = 20;
    private static final int DAYS_BETWEEN_PRICES = 10;

    private final JFreeChart chart;

    /** The chart, on a timeline of five days a week that has no exceptions yet. */
    Timeline(SegmentedTimeline timeline) {
        timeline.setStartTime(SegmentedTimeline.firstMondayAfter1900());
        GregorianCalendar day = new GregorianCalendar(FIRST_YEAR, Calendar.JANUARY, 3);
        for (int year = 0; year < YEARS; year++) {
            addHolidays(timeline, FIRST_YEAR + year);
        }
        chart = ChartFactory.createTimeSeriesChart("Shares", "day", "price", prices(timeline, day), true, false, false);
        ((DateAxis) chart.getXYPlot().getDomainAxis()).setTimeline(timeline);
    }

    public static void main(String[] args) throws Exception {
        useUtc();
        Timeline drawing = new Timeline(new SegmentedTimeline(SegmentedTimeline.DAY_SEGMENT_SIZE, 5, 2));
        Harness.repeat("timeline", args[0], drawing::draw);
    }

    /** Before JFreeChart looks at the time zone. */
    static void useUtc() {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    }

    /** Counts what was drawn, because fonts differ. */
    long draw() {
        ChartRenderingInfo info = new ChartRenderingInfo();
        drawInto(new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB), info);
        return info.getEntityCollection().getEntityCount();
    }

    /** A hash of the image, which is reproducible only on the same machine. */
    long image() {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        drawInto(image, null);
        return Arrays.hashCode(image.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH));
    }

    private void drawInto(BufferedImage image, ChartRenderingInfo info) {
        Graphics2D graphics = image.createGraphics();
        chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT), info);
        graphics.dispose();
    }

    /** Ten working days a year, or fewer where they fall on a weekend. */
    private static void addHolidays(SegmentedTimeline timeline, int year) {
        int[][] holidays = {{1, 1}, {1, 6}, {4, 23}, {5, 1}, {5, 31}, {7, 4}, {9, 5}, {11, 1}, {12, 25}, {12, 26}};
        for (int[] holiday : holidays) {
            long time = new GregorianCalendar(year, holiday[0] - 1, holiday[1]).getTimeInMillis();
            if (timeline.containsDomainValue(time)) {
                timeline.addException(time);
            }
        }
    }

    private static TimeSeriesCollection prices(SegmentedTimeline timeline, GregorianCalendar day) {
        Random random = new Random(1);
        TimeSeriesCollection shares = new TimeSeriesCollection();
        double[] price = new double[SHARES];
        for (int share = 0; share < SHARES; share++) {
            shares.addSeries(new TimeSeries("share " + share));
            price[share] = 100 + 10 * share;
        }
        for (; day.get(Calendar.YEAR) < FIRST_YEAR + YEARS; day.add(Calendar.DATE, DAYS_BETWEEN_PRICES)) {
            if (!timeline.containsDomainValue(day.getTimeInMillis())) {
                continue;
            }
            for (int share = 0; share < SHARES; share++) {
                price[share] *= Math.exp(0.02 * random.nextGaussian());
                shares.getSeries(share).add(new Day(day.getTime()), price[share]);
            }
        }
        return shares;
    }
}
