import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Allocates until the collectors have worked, then prints their threads' CPU time in ns, as the kernel reports it. */
public class Garbage {
    static int churn(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            List<byte[]> list = new ArrayList<>();
            for (int k = 0; k < 200; k++) {
                list.add(new byte[2000]);
            }
            sum += list.size();
        }
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        int sum = 0;
        for (int i = 0; i < 40; i++) {
            sum += churn(500);
        }
        long ns = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                String name = Files.readString(task.resolve("comm"));
                if (name.startsWith("GC Thread") || name.startsWith("G1 ")) {
                    ns += Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        System.out.println(sum > 0 ? ns : 0);
    }
}
