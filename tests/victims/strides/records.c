/*
 * 1000 records, each allocated together with what it points to, as constructors do: a group of 256 bytes is a record
 * of 128 bytes, its detail of 96 bytes, and the detail's text of 32 bytes. An array of pointers leads to the
 * records.
 *
 * Shuffled: the array has a stride of 8, but the fields of the records have none. From where a record's field
 * `detail` is, at 8, to the fields of the detail, at 128 + 16 and 128 + 24, it is always as far; likewise from there
 * to the text, at 224. The key has a constant distance from the field `detail`, but does not depend on it, so it has
 * no partner.
 * EXPECT line=@record loop=@shuffled_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@key loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@detail loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@count loop=@shuffled_loop kind=intra partner=@detail stride=136 majority=1..1 executions=1000
 * EXPECT line=@text loop=@shuffled_loop kind=intra partner=@detail stride=144 majority=1..1 executions=1000
 * EXPECT line=@first loop=@shuffled_loop kind=intra partner=@text stride=72 majority=1..1 executions=1000
 *
 * Every tenth record has got the detail of another record: 90 % are where they were.
 * EXPECT line=@some_record loop=@some_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@some_detail loop=@some_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@some_count loop=@some_loop kind=intra partner=@some_detail stride=136 majority=0.9..0.9 executions=1000
 *
 * Every second record has: no longer a majority of more than 75 %.
 * EXPECT line=@half_record loop=@half_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@half_detail loop=@half_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@half_count loop=@half_loop kind=none executions=1000
 *
 * In order, all that has a constant distance has a stride, too: a group.
 * EXPECT line=@ordered_record loop=@ordered_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@ordered_detail loop=@ordered_loop kind=inter stride=256 majority=1..1 executions=1000
 * EXPECT line=@ordered_count loop=@ordered_loop kind=inter stride=256 majority=1..1 executions=1000
 */
#include "strides.h"

enum { COUNT = 1000 };

struct text {
    long first, more[3];
};

struct detail {
    long size, more[1], count;
    struct text *text;
    long rest[8];
};

struct record {
    long key;
    struct detail *detail;
    long more[14];
};

struct group {
    struct record record;
    struct detail detail;
    struct text text;
};

static struct group pool[COUNT];
static struct record *records[COUNT];
static uint32_t order[COUNT];

/*
 * Of every `every`th group in the pool the record gets the detail of the group 7 * `every` places after it; 0: of none.
 * No value says where its group is.
 */
static void allot_details(unsigned every)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned from = every != 0 && i % every == 0 ? (i + 7 * every) % COUNT : i;
        pool[i].record.key = (long)strides_random(&state);
        pool[i].detail.count = pool[i].text.first = (long)strides_random(&state);
        pool[i].record.detail = &pool[from].detail;
        pool[i].detail.text = &pool[i].text;
    }
}

VICTIM static long victim_shuffled(struct record **at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {                 /* @shuffled_loop */
        const struct record *record = at[i];          /* @record */
        sum += record->key;                           /* @key */
        const struct detail *detail = record->detail; /* @detail */
        sum += detail->count;                         /* @count */
        const struct text *text = detail->text;       /* @text */
        sum += text->first;                           /* @first */
    }
    return sum;
}

VICTIM static long victim_some(struct record **at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {                 /* @some_loop */
        const struct record *record = at[i];          /* @some_record */
        const struct detail *detail = record->detail; /* @some_detail */
        sum += detail->count;                         /* @some_count */
    }
    return sum;
}

VICTIM static long victim_half(struct record **at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {                 /* @half_loop */
        const struct record *record = at[i];          /* @half_record */
        const struct detail *detail = record->detail; /* @half_detail */
        sum += detail->count;                         /* @half_count */
    }
    return sum;
}

VICTIM static long victim_ordered(struct record **at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {                 /* @ordered_loop */
        const struct record *record = at[i];          /* @ordered_record */
        const struct detail *detail = record->detail; /* @ordered_detail */
        sum += detail->count;                         /* @ordered_count */
    }
    return sum;
}

int main(int argc, char **argv)
{
    long sum = 0;
    (void)argv;
    SHOW(pool, argc);
    SHOW(records, argc);
    for (unsigned i = 0; i < COUNT; i++)
        records[i] = &pool[i].record;
    allot_details(0);
    sum += victim_ordered(records);
    strides_shuffle(order, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        records[i] = &pool[order[i]].record;
    sum += victim_shuffled(records);
    allot_details(10);
    sum += victim_some(records);
    allot_details(2);
    sum += victim_half(records);
    printf("%ld\n", sum);
    return 0;
}
