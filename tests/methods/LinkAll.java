package assay.methods;

import java.io.InputStream;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Gives probes to all methods of all classes of a jar, and has each class verified. */
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
        } catch (java.io.IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    public static void main(String[] arguments) throws Exception {
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
                    unlinked++; // what it needs is in another jar
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
