import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.Random;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.ChartRenderingInfo;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** Draws line, scatter and bar charts into an image; the checksum counts what was drawn, because fonts differ. */
public final class Jfreechart {
    public static void main(String[] args) throws Exception {
        Harness.repeat("jfreechart", args[0], Jfreechart::drawAll);
    }

    private static long drawAll() {
        XYSeriesCollection walks = walks(new Random(1));
        long drawn = draw(ChartFactory.createXYLineChart("Walks", "step", "value", walks));
        drawn = 31 * drawn + draw(ChartFactory.createScatterPlot("Walks", "step", "value", walks));
        return 31 * drawn + draw(ChartFactory.createBarChart3D("Counts", "group", "count", counts(new Random(2)),
            PlotOrientation.VERTICAL, true, true, false));
    }

    private static long draw(JFreeChart chart) {
        BufferedImage image = new BufferedImage(800, 600, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        ChartRenderingInfo info = new ChartRenderingInfo();
        chart.draw(graphics, new Rectangle2D.Double(0, 0, 800, 600), info);
        graphics.dispose();
        return info.getEntityCollection().getEntityCount();
    }

    private static XYSeriesCollection walks(Random random) {
        XYSeriesCollection walks = new XYSeriesCollection();
        for (int i = 0; i < 5; i++) {
            XYSeries walk = new XYSeries("walk " + i);
            double value = 0;
            for (int step = 0; step < 1000; step++) {
                walk.add(step, value += random.nextGaussian());
            }
            walks.addSeries(walk);
        }
        return walks;
    }

    private static DefaultCategoryDataset counts(Random random) {
        DefaultCategoryDataset counts = new DefaultCategoryDataset();
        for (int i = 0; i < 100; i++) {
            counts.addValue(random.nextInt(1000), "row " + i % 5, "group " + i / 5);
        }
        return counts;
    }
}
