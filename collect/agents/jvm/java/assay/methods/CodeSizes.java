package assay.methods;

import org.objectweb.asm.ClassReader;

/** Bytes of bytecode of each method of a class, in order; 0 without code. ASM does not report them. */
final class CodeSizes {
    private CodeSizes() {
    }

    static int[] of(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        int at = reader.header + 8 + 2 * reader.readUnsignedShort(reader.header + 6);
        int fields = reader.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < fields; i++) {
            at = skipAttributes(reader, at + 6);
        }
        int[] sizes = new int[reader.readUnsignedShort(at)];
        at += 2;
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = codeLength(reader, at + 6, buffer);
            at = skipAttributes(reader, at + 6);
        }
        return sizes;
    }

    private static int skipAttributes(ClassReader reader, int at) {
        int count = reader.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < count; i++) {
            at += 6 + reader.readInt(at + 2);
        }
        return at;
    }

    private static int codeLength(ClassReader reader, int at, char[] buffer) {
        int count = reader.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < count; i++) {
            if ("Code".equals(reader.readUTF8(at, buffer))) {
                return reader.readInt(at + 10); // after name, length, max_stack and max_locals
            }
            at += 6 + reader.readInt(at + 2);
        }
        return 0;
    }
}
