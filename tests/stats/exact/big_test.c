#include "stats/exact/big.h"

#include "tests/stats/draw.h"
#include "tests/tap.h"

enum { ROOM = 40 };

static struct big big_of(uint64_t room[ROOM])
{
    memset(room, 0, ROOM * sizeof *room);
    return (struct big){.limb = room};
}

static struct big small(uint64_t room[ROOM], int64_t value)
{
    struct big big = big_of(room);
    big_set_shifted(&big, (wide_u128)(value < 0 ? -value : value), 0, value < 0);
    return big;
}

/* Limbs of all ones and all zeros among them, through which carries run. */
static struct big drawn(uint64_t room[ROOM], size_t length)
{
    uint64_t limb[ROOM];
    for (size_t i = 0; i < length; i++) {
        double kind = draw_uniform();
        uint64_t bits = (uint64_t)(0x1p53 * draw_uniform()) << 11 ^ (uint64_t)(0x1p53 * draw_uniform());
        limb[i] = kind < 0.2 ? 0 : kind < 0.4 ? UINT64_MAX : bits;
    }
    struct big big = big_of(room);
    big_set_limbs(&big, limb, length, draw_uniform() < 0.5);
    return big;
}

static bool same(const struct big *a, const struct big *b)
{
    return a->length == b->length && a->negative == b->negative &&
           memcmp(a->limb, b->limb, a->length * sizeof *a->limb) == 0;
}

static bool is_value(const struct big *a, int64_t value)
{
    uint64_t room[ROOM];
    struct big expected = small(room, value);
    return same(a, &expected);
}

static void test_zero(void)
{
    uint64_t a_room[ROOM], b_room[ROOM], out_room[ROOM];
    struct big zero = big_of(a_room), b = small(b_room, -7), out = big_of(out_room);
    big_multiply(&out, &zero, &b);
    ok(out.length == 0 && !out.negative, "0·−7 is 0, not −0");
    big_subtract(&b, &b);
    ok(b.length == 0 && !b.negative, "−7 − −7 as well");
    big_shift_limbs(&zero, 3);
    ok(zero.length == 0, "0·2^192 as well");
    int64_t exponent;
    ok(big_to_quad(&zero, &exponent) == 0, "and as a number");
    big_set_wide(&b, (struct wide){0, 0});
    ok(b.length == 0 && !b.negative, "from 256 bits");
    big_set_shifted(&b, 0, 100, true);
    ok(b.length == 0 && !b.negative, "shifted");
}

static void test_signs(void)
{
    static const int64_t values[] = {-9, -5, 0, 5, 9};
    unsigned differences = 0, products = 0;
    for (size_t i = 0; i < 25; i++) {
        int64_t a = values[i / 5], b = values[i % 5];
        uint64_t a_room[ROOM], b_room[ROOM], out_room[ROOM];
        struct big left = small(a_room, a), right = small(b_room, b), out = big_of(out_room);
        big_multiply(&out, &left, &right);
        products += is_value(&out, a * b);
        big_subtract(&left, &right);
        differences += is_value(&left, a - b);
    }
    is_u64(products, 25, "products of all signs");
    is_u64(differences, 25, "differences of all signs");
}

static void test_forms(void)
{
    uint64_t a_room[ROOM], b_room[ROOM];
    struct big a = big_of(a_room), b = big_of(b_room);
    struct wide minus_two = {~(wide_u128)0 - 1, ~(wide_u128)0};
    big_set_wide(&a, minus_two);
    ok(is_value(&a, -2), "two's complement of 256 bits");
    big_set_shifted(&a, ~(wide_u128)0, 67, false);
    big_set_limbs(&b, (uint64_t[]){0, ~(uint64_t)7, UINT64_MAX, 7, 0, 0}, 6, false);
    ok(same(&a, &b), "(2^128−1)·2^67");
    a = small(a_room, -3);
    big_shift_limbs(&a, 2);
    big_set_limbs(&b, (uint64_t[]){0, 0, 3}, 3, true);
    ok(same(&a, &b), "−3·2^128");
    int64_t exponent;
    big_set_limbs(&a, (uint64_t[]){5, 4, 3, 2, 1}, 5, true);
    __float128 top = big_to_quad(&a, &exponent), two_64 = 18446744073709551616.0;
    ok(top == -(two_64 * two_64 + 2 * two_64 + 3) && exponent == 128, "the three highest limbs as a number");
}

/* 30! · (2^61−1) + 1 squared: Python 3, (math.factorial(30)*(2**61-1)+1)**2. */
static void test_known(void)
{
    uint64_t a_room[ROOM], b_room[ROOM], out_room[ROOM];
    struct big a = small(a_room, 1), factor = big_of(b_room), out = big_of(out_room);
    for (int64_t i = 2; i <= 31; i++) {
        factor = small(b_room, i < 31 ? i : ((int64_t)1 << 61) - 1);
        big_multiply(&out, &a, &factor);
        big_set_limbs(&a, out.limb, out.length, false);
    }
    factor = small(b_room, -1);
    big_subtract(&a, &factor);
    big_multiply(&out, &a, &a);
    static const uint64_t expected[] = {0x16d4144558000001, 0x52b00a661b724af5, 0x8a9e9149cb9defe5,
                                        0x1cc414a9bcc47896, 0x40423ddf29c05ef6, 0x2ac22};
    ok(out.length == sizeof expected / sizeof *expected && memcmp(out.limb, expected, sizeof expected) == 0,
       "the square of 30!·(2^61−1) + 1");
}

static void test_division(void)
{
    unsigned good = 0, unchanged = 0, tried = 0;
    for (size_t n = 1; n <= 16; n++)
        for (size_t m = 1; m <= 16; m++) {
            uint64_t a_room[ROOM], b_room[ROOM], product_room[ROOM], odd_room[ROOM], out_room[ROOM];
            struct big a = drawn(a_room, n), b = drawn(b_room, m), product = big_of(product_room),
                       out = big_of(out_room);
            b.negative = false;
            if (b.length == 0)
                continue;
            struct big_divisor divisor = {.odd = big_of(odd_room)};
            big_divisor_set(&divisor, &b);
            big_multiply(&product, &a, &b);
            big_divide_exact(&out, &product, &divisor);
            good += same(&out, &a);
            big_multiply(&product, &a, &b);
            big_subtract(&product, &b); /* (a − 1)·b */
            big_divide_exact(&out, &product, &divisor);
            product = small(product_room, 1);
            big_subtract(&a, &product);
            unchanged += same(&out, &a);
            tried++;
        }
    ok(tried > 200, "many pairs");
    is_u64(good, tried, "a·b / b is a");
    is_u64(unchanged, tried, "(a·b − b) / b is a − 1");
}

/* (a − b)·(a + b) is a² − b². */
static void test_identity(void)
{
    unsigned good = 0;
    for (size_t n = 1; n <= 200; n++) {
        uint64_t a_room[ROOM], b_room[ROOM], left_room[ROOM], right_room[ROOM], sum_room[ROOM];
        struct big a = drawn(a_room, n % 15), b = drawn(b_room, 1 + n % 13), squares = big_of(left_room);
        struct big square = big_of(right_room), sum = big_of(sum_room);
        big_multiply(&squares, &a, &a);
        big_multiply(&square, &b, &b);
        big_subtract(&squares, &square);
        big_set_limbs(&sum, a.limb, a.length, a.negative);
        b.negative = b.length > 0 && !b.negative;
        big_subtract(&sum, &b);
        b.negative = b.length > 0 && !b.negative;
        big_subtract(&a, &b);
        big_multiply(&square, &a, &sum);
        good += same(&square, &squares);
    }
    is_u64(good, 200, "(a − b)·(a + b) is a² − b²");
}

int main(void)
{
    test_zero();
    test_signs();
    test_forms();
    test_known();
    test_division();
    test_identity();
    return done_testing();
}
