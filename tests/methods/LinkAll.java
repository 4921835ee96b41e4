package assay.methods;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Adds probes to every method of every class of a jar, and has the JVM verify each class. With "jrt:/" instead of a
 * jar, loads every class of the JDK by its own loader: an agent must then be there to add the probes, and this program
 * only counts the classes that need them.
 */
final class LinkAll extends ClassLoader {
    private final JarFile jar;
    private int rewritten;

    private LinkAll(JarFile jar) {
        this.jar = jar;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        Class<?> loaded = findLoadedClass(name);
        JarEntry entry = jar.getJarEntry(name.replace('.', '/') + ".class");
        if (loaded != null) {
            return loaded;
        }
        return entry == null || name.startsWith("java.") ? super.loadClass(name, resolve) : define(name, entry);
    }

    private Class<?> define(String name, JarEntry entry) throws ClassNotFoundException {
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] bytes = in.readAllBytes();
            byte[] made = Rewriter.rewriteAll(bytes);
            rewritten += made == null ? 0 : 1;
            byte[] used = made == null ? bytes : made;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static void linkRuntime() throws IOException {
        int failures = 0;
        int unlinked = 0;
        int rewritten = 0;
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).collect(Collectors.toList())) {
                String name = file.subpath(2, file.getNameCount()).toString();
                if (name.endsWith("-info.class")) {
                    continue;
                }
                try {
                    rewritten += Rewriter.rewriteAll(Files.readAllBytes(file)) == null ? 0 : 1;
                    Class.forName(name.replace('/', '.').replaceAll("[.]class$", ""), false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
                } catch (NoClassDefFoundError | ClassNotFoundException | IncompatibleClassChangeError e) {
                    unlinked++;
                } catch (Throwable e) {
                    failures++;
                    System.out.println(name + ": " + e);
                }
            }
        }
        System.out.println(rewritten + " classes with probes, " + unlinked + " that can't be linked, " + failures + " failures");
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("jrt:/")) {
            linkRuntime();
            return;
        }
        int failures = 0;
        int unlinked = 0;
        try (JarFile jar = new JarFile(arguments[0])) {
            LinkAll loader = new LinkAll(jar);
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (!name.endsWith(".class") || name.endsWith("-info.class") || name.startsWith("META-INF/")) {
                    continue;
                }
                try {
                    Class.forName(name.replace('/', '.').replaceAll("[.]class$", ""), false, loader).getDeclaredMethods();
                } catch (NoClassDefFoundError | ClassNotFoundException | IncompatibleClassChangeError e) {
                    unlinked++; // it needs classes of another jar
                } catch (Throwable e) {
                    failures++;
                    System.out.println(name + ": " + e);
                }
            }
            System.out.println(loader.rewritten + " classes with probes, " + unlinked + " that need other jars, "
                    + failures + " failures");
        }
    }
}
