import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/**
 * Classes whose fields HotSpot places in different ways: all types, gaps before the first field, in superclasses and at their
 * ends, references last and first. Prints where the JVM has them, "CLASS FIELD OFFSET", as sun.misc.Unsafe says, dumps the
 * heap into the file that the first argument names, and ends.
 */
public class Layouts {
    static class All {
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long j;
        float f;
        double d;
        Object l;
        int[] a;
    }

    static class Bytes {
        byte one;
    }

    static class BytesMore extends Bytes {
        byte two;
        short three;
        Object four;
    }

    static class Empty {
    }

    static class EmptyLong extends Empty {
        long one;
        boolean two;
    }

    static class EndsWithReference {
        int one;
        Object two;
    }

    static class AfterReference extends EndsWithReference {
        long one;
        Object two;
        byte three;
        int four;
        Object five;
    }

    static class Deep extends AfterReference {
        short one;
        Object two;
        double three;
        byte four, five, six;
        char seven;
    }

    static class OddBytes {
        byte one, two, three;
        long four;
        byte five;
    }

    static class OddMore extends OddBytes {
        byte one, two, three, four, five;
        short six;
        int seven;
        Object eight;
    }

    static class Wide {
        long one;
        double two;
        Object three;
        Object four;
    }

    static class Failure extends RuntimeException {
        int one;
        long two;
    }

    static class Statics {
        static byte one;
        static Object two = new Object();
        static long three;
        static int four;
        static Object five;
        static short six;
        static Object seven;
        static boolean eight;
    }

    static Object[][] kept = new Object[12][100];

    public static void main(String[] arguments) throws Exception {
        Field only = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        only.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) only.get(null);
        Class<?>[] classes = {All.class, Bytes.class, BytesMore.class, Empty.class, EmptyLong.class, EndsWithReference.class,
            AfterReference.class, Deep.class, OddBytes.class, OddMore.class, Wide.class, Failure.class};
        for (int i = 0; i < classes.length; i++) {
            var constructor = classes[i].getDeclaredConstructor();
            for (int n = 0; n < kept[i].length; n++) {
                kept[i][n] = constructor.newInstance();
            }
            for (Field field : classes[i].getDeclaredFields()) {
                System.out.println(classes[i].getName() + " " + field.getName() + " " + unsafe.objectFieldOffset(field));
            }
        }
        Statics.three = 3;
        for (Field field : Statics.class.getDeclaredFields()) {
            System.out.println("Layouts$Statics " + field.getName() + " " + unsafe.staticFieldOffset(field));
        }
        java.lang.management.ManagementFactory
            .getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
    }
}
