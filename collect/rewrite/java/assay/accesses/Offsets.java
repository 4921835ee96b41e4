package assay.accesses;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;

/** Where the instructions of a class are: their bytecode indexes, of all methods in order. ASM does not report them. */
final class Offsets {
    /** The lengths of the instructions (JVM specification, 6.5) by opcode; 0: tableswitch, lookupswitch and wide. */
    private static final String LENGTHS = "1111111111111111232332222211111111111111111111111111112222211111"
        + "1111111111111111111111111111111111111111111111111111111111111111"
        + "1111311111111111111111111333333333333333320011111133333335532311"
        + "3311043355";

    private Offsets() {
    }

    static List<Integer> of(ClassReader reader) {
        List<Integer> offsets = new ArrayList<>();
        char[] buffer = new char[reader.getMaxStringLength()];
        int at = reader.header + 8 + 2 * reader.readUnsignedShort(reader.header + 6);
        int fields = reader.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < fields; i++) {
            at = attributes(reader, at + 6, buffer, null);
        }
        int methods = reader.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < methods; i++) {
            at = attributes(reader, at + 6, buffer, offsets);
        }
        return offsets;
    }

    /** Goes past the attributes, and collects the offsets of the code if it is a method that they belong to. */
    private static int attributes(ClassReader reader, int start, char[] buffer, List<Integer> offsets) {
        int count = reader.readUnsignedShort(start), at = start + 2;
        for (int i = 0; i < count; i++) {
            if (offsets != null && "Code".equals(reader.readUTF8(at, buffer))) {
                code(reader, at + 14, reader.readInt(at + 10), offsets);
            }
            at += 6 + reader.readInt(at + 2);
        }
        return at;
    }

    private static void code(ClassReader reader, int code, int length, List<Integer> offsets) {
        for (int at = 0; at < length; at += length(reader, code, at)) {
            offsets.add(at);
        }
    }

    private static int length(ClassReader reader, int code, int at) {
        int opcode = reader.readByte(code + at), operands = code + (at + 4 & ~3);
        switch (opcode) {
        case 0xaa: // tableswitch
            return operands - code - at + 12 + 4 * (reader.readInt(operands + 8) - reader.readInt(operands + 4) + 1);
        case 0xab: // lookupswitch
            return operands - code - at + 8 + 8 * reader.readInt(operands + 4);
        case 0xc4: // wide
            return reader.readByte(code + at + 1) == 0x84 ? 6 : 4;
        default:
            return LENGTHS.charAt(opcode) - '0';
        }
    }
}
