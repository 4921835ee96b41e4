/**
 * In the shape of _202_jvm98_db: a shell sort of large records by one of their fields. A record has a vector of its fields,
 * each a text with an array of characters, and all these are allocated together. The index that is sorted leads to the
 * records in an order that has nothing to do with that of their allocation. 16,384 records of 560 bytes: 9 MB.
 *
 * Bytes, with compressed references: a record 16, with `items` at 12; items 24, with `elements` at 16; an array of 8 fields 48;
 * a text 24, with `characters` at 16; its 12 characters 40. Where the index is loaded has a stride of 4 in the loop around the
 * one that moves records, which is short. From `items` to `elements` it is 16 + 16 - 12 bytes, from there to element F
 * 24 + 16 + 4 F - 16; then to the field F of the record 48 + 64 F + 16 - (16 + 4 F), and to its characters 24 + 16 - 16. F varies
 * from sort to sort: if it is 0, as in the first one, these are 20, 24, 48 and 24 bytes.
 * EXPECT line=@record loop=@sort_loop kind=inter stride=4
 * EXPECT line=@items loop=@sort_loop kind=none
 * EXPECT line=@elements loop=@sort_loop kind=intra partner=@items stride=20
 * EXPECT line=@text loop=@sort_loop kind=intra partner=@elements stride=24
 * EXPECT line=@characters loop=@sort_loop kind=intra partner=@text stride=48
 * EXPECT line=@character loop=@sort_loop kind=intra partner=@characters stride=24
 *
 * Argument: a factor for the number of sorts.
 */
public class Db {
    static final int RECORDS = 16384;
    static final int FIELDS = 8;
    static final int LETTERS = 12;
    static final int SORTS = 8;

    static final class Text {
        final int count;
        final char[] characters;

        Text(Numbers numbers) {
            count = LETTERS;
            characters = new char[LETTERS];
            for (int i = 0; i < LETTERS; i++) {
                characters[i] = (char) ('a' + numbers.next(26));
            }
        }

        int compareTo(Text other) {
            char[] theirs = characters; // @characters
            char[] mine = other.characters;
            for (int k = 0; k < LETTERS; k++) {
                char letter = mine[k];
                int difference = theirs[k] - letter; // @character
                if (difference != 0) {
                    return difference;
                }
            }
            return 0;
        }
    }

    static final class Items {
        int count;
        final Text[] elements;

        Items() {
            elements = new Text[FIELDS];
        }

        void add(Text text) {
            elements[count++] = text;
        }
    }

    static final class Record {
        final Items items;

        Record(Numbers numbers) {
            items = new Items();
            for (int i = 0; i < FIELDS; i++) {
                items.add(new Text(numbers));
            }
        }
    }

    static void shellSort(Record[] index, int field) {
        int gap = 1;
        while (gap < index.length / 3) {
            gap = 3 * gap + 1;
        }
        for (; gap > 0; gap /= 3) {
            for (int i = gap; i < index.length; i++) { // @sort_loop
                Record moved = index[i];
                Text key = moved.items.elements[field];
                int j = i - gap;
                while (j >= 0) {
                    Record record = index[j]; // @record
                    Items items = record.items; // @items
                    Text[] elements = items.elements; // @elements
                    Text text = elements[field]; // @text
                    if (text.compareTo(key) <= 0) {
                        break;
                    }
                    index[j + gap] = record;
                    j -= gap;
                }
                index[j + gap] = moved;
            }
        }
    }

    static long checksum(Record[] index, int field) {
        long sum = 0;
        for (Record record : index) {
            Text text = record.items.elements[field];
            for (int k = 0; k < LETTERS; k++) {
                sum = 31 * sum + text.characters[k];
            }
        }
        return sum;
    }

    public static void main(String[] arguments) {
        int sorts = Numbers.rounds(arguments, SORTS);
        Numbers numbers = new Numbers(2003);
        Record[] index = new Record[RECORDS];
        for (int i = 0; i < RECORDS; i++) {
            int other = numbers.next(i + 1);
            index[i] = index[other];
            index[other] = new Record(numbers);
        }
        Numbers.built();
        long checksum = 0;
        for (int sort = 0; sort < sorts; sort++) {
            shellSort(index, sort % FIELDS);
            checksum = 31 * checksum + checksum(index, sort % FIELDS);
        }
        System.out.println("sorts " + sorts + " checksum " + checksum);
    }
}
