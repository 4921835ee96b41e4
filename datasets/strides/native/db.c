/*
 * ../java/Db.java in C, with the same result: a shell sort of large records by one of their fields.
 *
 * Bytes, with glibc's malloc(): a record 32, its items 32, the array of 8 fields 80, a field 32 and its characters
 * 32. From `items` to `elements`, at 8, it is 40 bytes, from there to the first element 24, to the field's
 * `characters`, at 8, 88, and to the first character 24. The compiler puts two of the loads on one line.
 * EXPECT line=@record loop=@sort_loop kind=inter stride=8
 * EXPECT line=@items loop=@sort_loop kind=none
 * EXPECT line=@text loop=@sort_loop kind=intra partner=@items stride=40
 * EXPECT line=@text loop=@sort_loop kind=intra partner=@text stride=24
 * EXPECT line=@characters loop=@sort_loop kind=intra partner=@text stride=88
 * EXPECT line=@character loop=@sort_loop kind=intra partner=@characters stride=24
 *
 * Argument: a factor for the number of sorts; up to 0.125 it is one, by field 0.
 */
#include "numbers.h"

enum { RECORDS = 16384, FIELDS = 8, LETTERS = 12, SORTS = 8 };

struct text {
    int count;
    char *characters;
};

struct items {
    int count;
    struct text **elements;
};

struct record {
    struct items *items;
};

static struct text *text_new(void)
{
    struct text *text = allocate(sizeof *text);
    text->count = LETTERS;
    text->characters = allocate(LETTERS);
    for (int i = 0; i < LETTERS; i++)
        text->characters[i] = (char)('a' + numbers_next(26));
    return text;
}

__attribute__((noinline)) static int text_compare(const struct text *text, const struct text *other)
{
    const char *theirs = text->characters; /* @characters */
    const char *mine = other->characters;
    for (int k = 0; k < LETTERS; k++) {
        int difference = -mine[k];
        difference += theirs[k]; /* @character */
        if (difference != 0)
            return difference;
    }
    return 0;
}

static struct record *record_new(void)
{
    struct record *record = allocate(sizeof *record);
    record->items = allocate(sizeof *record->items);
    record->items->elements = allocate(FIELDS * sizeof *record->items->elements);
    for (int i = 0; i < FIELDS; i++)
        record->items->elements[record->items->count++] = text_new();
    return record;
}

__attribute__((noinline)) static void shell_sort(struct record **index, int field)
{
    int gap = 1;
    while (gap < RECORDS / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int i = gap; i < RECORDS; i++) { /* @sort_loop */
            struct record *moved = index[i];
            const struct text *key = moved->items->elements[field];
            int j = i - gap;
            while (j >= 0) {
                struct record *record = index[j];                 /* @record */
                struct items *items = record->items;              /* @items */
                const struct text *text = items->elements[field]; /* @text */
                if (text_compare(text, key) <= 0)
                    break;
                index[j + gap] = record;
                j -= gap;
            }
            index[j + gap] = moved;
        }
    }
}

static uint64_t checksum_of(struct record **index, int field)
{
    uint64_t sum = 0;
    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < LETTERS; k++)
            sum = 31 * sum + (uint64_t)index[i]->items->elements[field]->characters[k];
    return sum;
}

int main(int argc, char **argv)
{
    int sorts = numbers_rounds(argc, argv, SORTS);
    uint64_t checksum = 0;
    struct record **index = allocate(RECORDS * sizeof *index);
    for (int i = 0; i < RECORDS; i++) {
        int other = numbers_next(i + 1);
        index[i] = index[other];
        index[other] = record_new();
    }
    for (int sort = 0; sort < sorts; sort++) {
        shell_sort(index, sort % FIELDS);
        checksum = 31 * checksum + checksum_of(index, sort % FIELDS);
    }
    printf("sorts %d checksum %ld\n", sorts, (long)checksum);
    return 0;
}
