import edu.umd.cs.findbugs.BugCollectionBugReporter;
import edu.umd.cs.findbugs.BugInstance;
import edu.umd.cs.findbugs.BugReporter;
import edu.umd.cs.findbugs.DetectorFactoryCollection;
import edu.umd.cs.findbugs.FindBugs2;
import edu.umd.cs.findbugs.Priorities;
import edu.umd.cs.findbugs.Project;
import edu.umd.cs.findbugs.config.UserPreferences;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Looks for bugs in a jar with FindBugs; the Java classes that it may use are those of Java 8. */
public final class Findbugs {
    private final String jar;
    private final Path platform;

    /**
     * FindBugs does not support class libraries newer than Java 8's; the JDK's data for {@code javac --release 8}
     * stands in for it.
     */
    Findbugs(String jar) throws IOException {
        this.jar = jar;
        Path scratch = Harness.scratch();
        System.setProperty("java.util.prefs.userRoot", scratch.toString());
        platform = scratch.resolve("platform.jar");
        copySignatures(Path.of(System.getProperty("java.home"), "lib", "ct.sym"));
    }

    public static void main(String[] args) throws Exception {
        Harness.repeat("findbugs", args[0], new Findbugs(args[1])::analyze);
    }

    /** The checksum of all bugs found. */
    long analyze() throws Exception {
        Project project = new Project();
        project.addFile(jar);
        project.addAuxClasspathEntry(platform.toString());
        BugCollectionBugReporter reporter = new BugCollectionBugReporter(project, new PrintWriter(OutputStream.nullOutputStream()));
        reporter.setErrorVerbosity(BugReporter.SILENT);
        reporter.setPriorityThreshold(Priorities.LOW_PRIORITY);
        FindBugs2 engine = new FindBugs2();
        engine.setProject(project);
        engine.setBugReporter(reporter);
        engine.setDetectorFactoryCollection(DetectorFactoryCollection.instance());
        engine.setUserPreferences(UserPreferences.createDefaultUserPreferences());
        engine.finishSettings();
        engine.execute();
        engine.dispose();
        return checksum(reporter.getBugCollection());
    }

    private static long checksum(Iterable<BugInstance> bugs) {
        TreeSet<String> keys = new TreeSet<>();
        for (BugInstance bug : bugs) {
            keys.add(bug.getInstanceKey());
        }
        CRC32 crc = new CRC32();
        crc.update(String.join("\n", keys).getBytes());
        return crc.getValue();
    }

    /** Names in ct.sym: the releases that a class is for, one character each, then its module, package and name. */
    private void copySignatures(Path symbols) throws IOException {
        try (ZipFile from = new ZipFile(symbols.toFile()); ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(platform))) {
            for (Enumeration<? extends ZipEntry> entries = from.entries(); entries.hasMoreElements();) {
                ZipEntry entry = entries.nextElement();
                String[] part = entry.getName().split("/", 3);
                if (part.length == 3 && part[0].contains("8") && part[2].endsWith(".sig")) {
                    to.putNextEntry(new ZipEntry(part[2].replace(".sig", ".class")));
                    from.getInputStream(entry).transferTo(to);
                }
            }
        }
    }
}
