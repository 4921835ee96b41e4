/*
 * Loops over arrays, 1000 elements each unless said otherwise.
 *
 * In order: elements of 8 bytes, and of 1 byte. Backwards: the stride is negative.
 * EXPECT line=@in_order loop=@in_order_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@bytes loop=@bytes_loop kind=inter stride=1 majority=1..1 executions=1000
 * EXPECT line=@backwards loop=@backwards_loop kind=inter stride=-8 majority=1..1 executions=1000
 *
 * Every seventh element: 7 * 8 bytes. 143 of 1000.
 * EXPECT line=@seventh loop=@seventh_loop kind=inter stride=56 majority=1..1 executions=143
 *
 * An array of structs of 40 bytes: both fields have the stride of the struct.
 * EXPECT line=@mass loop=@body_loop kind=inter stride=40 majority=1..1 executions=1000
 * EXPECT line=@speed loop=@body_loop kind=inter stride=40 majority=1..1 executions=1000
 *
 * A matrix of 64 rows with 512 bytes each. By row, the inner loop goes on where the outer one left it, so that all
 * strides are 8. By column, 63 of 64 strides are a row; the other is the way from the last row back to the first, in
 * the next column.
 * EXPECT line=@by_row loop=@by_row_loop kind=inter stride=8 majority=1..1 executions=4096
 * EXPECT line=@by_column loop=@by_column_loop kind=inter stride=512 majority=0.98..1 executions=4096
 *
 * The same place in each iteration: its stride is 0, and nothing to prefetch.
 * EXPECT line=@invariant loop=@invariant_loop kind=none stride=0 majority=1..1 executions=1000
 *
 * numbers[index[i]], where index is a permutation of 4-byte numbers: index has a stride, and leads to the other.
 * EXPECT line=@index loop=@indirect_loop kind=inter stride=4 majority=1..1 executions=1000
 * EXPECT line=@picked loop=@indirect_loop kind=indirect partner=@index executions=1000
 */
#include "strides.h"

enum { COUNT = 1000, ROWS = 64 };

struct body {
    long mass, position[3], speed;
};

static long numbers[COUNT], matrix[ROWS][ROWS];
static char text[COUNT];
static struct body bodies[COUNT];
static uint32_t index_of[COUNT];
static volatile long constant = 3;

VICTIM static long victim_in_order(const long *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) /* @in_order_loop */
        sum += at[i];               /* @in_order */
    return sum;
}

VICTIM static long victim_bytes(const char *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) /* @bytes_loop */
        sum += at[i];               /* @bytes */
    return sum;
}

VICTIM static long victim_backwards(const long *at)
{
    long sum = 0;
    for (int i = COUNT - 1; i >= 0; i--) /* @backwards_loop */
        sum += at[i];                    /* @backwards */
    return sum;
}

VICTIM static long victim_seventh(const long *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i += 7) /* @seventh_loop */
        sum += at[i];                  /* @seventh */
    return sum;
}

VICTIM static long victim_structs(const struct body *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) { /* @body_loop */
        sum += at[i].mass;            /* @mass */
        sum += at[i].speed;           /* @speed */
    }
    return sum;
}

VICTIM static long victim_by_row(long (*at)[ROWS])
{
    long sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < ROWS; column++) /* @by_row_loop */
            sum += at[row][column];                   /* @by_row */
    return sum;
}

VICTIM static long victim_by_column(long (*at)[ROWS])
{
    long sum = 0;
    for (int column = 0; column < ROWS; column++)
        for (int row = 0; row < ROWS; row++) /* @by_column_loop */
            sum += at[row][column];          /* @by_column */
    return sum;
}

VICTIM static long victim_invariant(const volatile long *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) /* @invariant_loop */
        sum += *at;                 /* @invariant */
    return sum;
}

VICTIM static long victim_indirect(const long *at, const volatile uint32_t *which)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) { /* @indirect_loop */
        uint32_t element = which[i];  /* @index */
        sum += at[element];           /* @picked */
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
        text[i] = (char)(i % 7);
        bodies[i].mass = bodies[i].speed = i;
    }
    for (int i = 0; i < ROWS * ROWS; i++)
        matrix[i / ROWS][i % ROWS] = i;
    strides_shuffle(index_of, COUNT);
    SHOW(numbers, argc);
    SHOW(matrix, argc);
    SHOW(bodies, argc);
    SHOW(index_of, argc);
    printf("%ld\n", victim_in_order(numbers) + victim_bytes(text) + victim_backwards(numbers) +
                        victim_seventh(numbers) + victim_structs(bodies) + victim_by_row(matrix) +
                        victim_by_column(matrix) + victim_invariant(&constant) + victim_indirect(numbers, index_of));
    return 0;
}
