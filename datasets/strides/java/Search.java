/**
 * In the shape of JavaGrande's Search: four in a row on a board of 7 by 6, by an alpha-beta search that remembers positions in a
 * table. A position is two numbers; whatever is loaded is in the table, where the hash value says, or a short array.
 * EXPECT line=@known kind=none
 *
 * Argument: a factor for the number of positions that are searched.
 */
public class Search {
    static final int COLUMNS = 7;
    static final int SLOTS = 1 << 18;
    static final int DEPTH = 9;
    static final int POSITIONS = 100;

    final long[] keys = new long[SLOTS];
    final byte[] values = new byte[SLOTS];
    final int[] order = {3, 2, 4, 1, 5, 0, 6};

    /** Columns have 7 bits, of which the highest stays empty. */
    static boolean won(long stones) {
        for (int way = 1; way <= 8; way += way == 1 ? 5 : 1) {
            long two = stones & stones >> way;
            if ((two & two >> 2 * way) != 0) {
                return true;
            }
        }
        return false;
    }

    /** -1, 0 or 1: what the player to move, who has `mine` of the stones in `all`, gets at best, within `depth` moves. */
    int search(long mine, long all, int depth, int least, int most) {
        if (won(mine ^ all)) {
            return -1;
        }
        if (depth == 0) {
            return 0;
        }
        long key = (mine + all + 0x1020408102041L) * 16 + depth;
        int slot = (int) ((key * 0x9e3779b97f4a7c15L) >>> 46);
        long known = keys[slot]; // @known
        if (known == key) {
            return values[slot];
        }
        int best = -1;
        for (int i = 0; i < COLUMNS && best < most; i++) {
            int column = order[i];
            long free = all + (1L << 7 * column) & ~all & 0x3fL << 7 * column;
            if (free != 0) {
                best = Math.max(best, -search(mine ^ all, all | free, depth - 1, -most, -Math.max(best, least)));
            }
        }
        keys[slot] = key;
        values[slot] = (byte) best;
        return best;
    }

    public static void main(String[] arguments) {
        int positions = Numbers.rounds(arguments, POSITIONS);
        Numbers numbers = new Numbers(2003);
        Search search = new Search();
        long checksum = 0;
        for (int i = 0; i < positions; i++) {
            long mine = 0;
            long all = 0;
            for (int move = 0; move < 8; move++) {
                int column = numbers.next(COLUMNS);
                mine ^= all;
                all |= all + (1L << 7 * column) & 0x3fL << 7 * column;
            }
            checksum = 31 * checksum + 1 + search.search(mine, all, DEPTH, -1, 1);
        }
        System.out.println("positions " + positions + " checksum " + checksum);
    }
}
