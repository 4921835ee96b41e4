package assay.accesses;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Rewrites all classes of this JDK's java.base, which the JVM needs before it can run a rewriter, into a file that the
 * agent reads (collect/rewrite/prepared.h). Arguments: the file, and the variant.
 */
public final class Prepare implements Program {
    private final Map<String, ClassNode> classes = new HashMap<>(); // without code
    private final Map<String, Integer> references = new LinkedHashMap<>();
    private final List<byte[]> descriptions = new ArrayList<>();
    private final List<String> intrinsics = new ArrayList<>(), skipped = new ArrayList<>();
    private final OutputStream out;

    private final boolean bursts, lengths, memory;

    private Prepare(OutputStream out, String variant) {
        this.out = out;
        bursts = variant.contains("bursts");
        lengths = variant.contains("lengths");
        memory = variant.contains("memory");
    }

    public static void main(String[] arguments) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[0])), 1 << 20)) {
            new Prepare(out, arguments[1]).run();
        }
    }

    private void run() throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                if (path.toString().endsWith(".class") && !path.endsWith("module-info.class")) {
                    byte[] bytes = Files.readAllBytes(path);
                    Original original = new Original(bytes, ClassReader.SKIP_CODE);
                    classes.put(original.node.name, original.node);
                    all.put(original.node.name, bytes);
                }
            }
        }
        findIntrinsics();
        for (Map.Entry<String, byte[]> each : all.entrySet()) {
            if (!Accesses.isLeftAlone(each.getKey())) {
                putClass(each.getKey(), each.getValue(), Accesses.rewrite(each.getValue(), this));
            }
        }
        putRest();
    }

    private void findIntrinsics() {
        for (ClassNode owner : classes.values()) {
            for (MethodNode method : owner.methods) {
                if (!Accesses.isLeftAlone(owner.name) && Accesses.hasCopy(owner, method)) {
                    intrinsics.add(owner.name + ' ' + method.name + ' ' + method.desc);
                }
            }
        }
        intrinsics.sort(null);
    }

    /* ---------------------------------------------------------------------------------------- the file -- */

    private void put(char tag, byte[]... parts) throws IOException {
        int size = 0;
        for (byte[] part : parts) {
            size += part.length;
        }
        out.write(numbers(tag, size));
        for (byte[] part : parts) {
            out.write(part);
        }
        out.write(new byte[-size & 7]);
    }

    private static byte[] numbers(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            bytes.putInt(value);
        }
        return bytes.array();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void putClass(String name, byte[] old, byte[] rewritten) throws IOException {
        CRC32C sum = new CRC32C();
        sum.update(old);
        put('C', numbers((int) sum.getValue(), rewritten.length), rewritten, text(name + '\0'));
    }

    private void putRest() throws IOException {
        for (byte[] description : descriptions) {
            put('M', description);
        }
        for (String reference : references.keySet()) {
            put('S', text(reference));
        }
        put('I', text(String.join("\n", intrinsics) + '\0'));
        for (String what : skipped) {
            put('L', text(what + '\0'));
        }
        for (String name : new String(resource("list"), StandardCharsets.UTF_8).split("\n")) {
            byte[] bytes = resource(name + ".class");
            put('R', numbers(bytes.length, 0), bytes, text(name + '\0'));
        }
        put('E');
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Prepare.class.getResourceAsStream("/runtime/" + name)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            in.transferTo(bytes);
            return bytes.toByteArray();
        }
    }

    /* ---------------------------------------------------------------------------------------- Program -- */

    @Override
    public boolean hasShadow(String owner, String name, String descriptor) {
        if (memory) {
            return true;
        }
        for (ClassNode at = classes.get(owner); at != null; at = at.superName == null ? null : classes.get(at.superName)) {
            for (FieldNode field : at.fields) {
                if (field.name.equals(name) && field.desc.equals(descriptor)) {
                    return !Accesses.isLeftAlone(at.name) && Fields.canGrow(at.name) && (field.access & Opcodes.ACC_STATIC) == 0;
                }
            }
        }
        return false;
    }

    @Override
    public int reference(String owner, String name, String descriptor) {
        return references.computeIfAbsent(owner + '\0' + name + '\0' + descriptor + '\0', key -> references.size() + 1);
    }

    @Override
    public boolean isIntrinsic(String owner, String name, String descriptor) {
        ClassNode node = classes.get(owner);
        if (node == null || Accesses.isLeftAlone(owner)) {
            return false;
        }
        for (MethodNode method : node.methods) {
            if (method.name.equals(name) && method.desc.equals(descriptor)) {
                return Accesses.hasCopy(node, method);
            }
        }
        return false;
    }

    @Override
    public boolean hasBursts() {
        return bursts;
    }

    @Override
    public boolean hasLengths() {
        return lengths;
    }

    @Override
    public boolean hasMemory() {
        return memory;
    }

    @Override
    public int reserve() {
        descriptions.add(new byte[0]);
        return descriptions.size();
    }

    @Override
    public void define(int number, Description description) {
        descriptions.set(number - 1, description.bytes());
    }

    @Override
    public void skipped(String what, String why) {
        skipped.add(what);
    }
}
