import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Writes random programs into the file `programs`, the pairs that they must have into `model`, and how their runs end
 * into `outcomes`. Arguments: a seed, the number of the first program, and how many.
 */
public final class Generate {
    private static final int MOST_LINES = 60000;
    private static final Map<String, Integer> LEFT = new TreeMap<>(); // programs, by why they can't be compared

    private Generate() {
    }

    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[0]);
        int first = Integer.parseInt(arguments[1]), count = Integer.parseInt(arguments[2]);
        try (DataOutputStream programs = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of("programs"))));
            PrintWriter pairs = new PrintWriter("model"); PrintWriter outcomes = new PrintWriter("outcomes")) {
            programs.writeInt(count);
            for (int i = first; i < first + count; i++) {
                put("g" + i, new Random(seed * 1_000_003 + i), programs, pairs, outcomes);
            }
            LEFT.forEach((why, times) -> System.out.println(times + " others are left out: the program " + why));
        }
    }

    private static boolean isLarge(Generator made) {
        for (Type type : made.types) {
            if (type.lines() > MOST_LINES) {
                return true;
            }
        }
        return false;
    }

    /** Those that run for too long are left out, and others come in their place. */
    private static void put(String name, Random random, DataOutputStream programs, PrintWriter pairs, PrintWriter outcomes)
        throws IOException {
        while (true) {
            Generator made = new Generator(name, random);
            made.generate();
            int runs = made.chance(10) ? 2 : 1; // each in classes of its own
            Model[] models = new Model[runs];
            try {
                for (int i = 0; i < runs; i++) {
                    models[i] = new Model(made.types);
                    models[i].run(made.entries);
                }
            } catch (Model.Unfit unfit) {
                LEFT.merge(unfit.getMessage(), 1, Integer::sum);
                continue;
            }
            if (!isLarge(made)) {
                write(name, made, models, programs, pairs, outcomes);
                return;
            }
        }
    }

    private static void write(String name, Generator made, Model[] models, DataOutputStream programs, PrintWriter pairs,
        PrintWriter outcomes) throws IOException {
        programs.writeUTF(name);
        programs.writeInt(models.length);
        programs.writeInt(made.types.size());
        for (Type type : made.types) {
            byte[] bytes = Code.write(type);
            programs.writeUTF(type.name.replace('/', '.'));
            programs.writeInt(type.loader);
            programs.writeInt(bytes.length);
            programs.write(bytes);
        }
        for (Model model : models) {
            outcomes.println(name + " " + String.join(" ", model.outcomes));
        }
        for (Map.Entry<String, long[]> each : models[0].pairs.entrySet()) {
            pairs.println(each.getKey() + "\t" + each.getValue()[0] * models.length + "\t" + each.getValue()[1] * models.length);
        }
    }
}
