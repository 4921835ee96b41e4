/*
 * ../java/MolDyn.java in C, with the same result: molecules in a box with periodic walls; 1728 of 80 bytes, with
 * glibc's malloc(), and the array that leads to them are 152 KB.
 * EXPECT line=@other loop=@pair_loop kind=inter stride=8
 * EXPECT line=@x loop=@pair_loop kind=inter stride=80
 * EXPECT line=@y loop=@pair_loop kind=inter stride=80
 * EXPECT line=@z loop=@pair_loop kind=inter stride=80
 *
 * Argument: a factor for the number of steps.
 */
#include "numbers.h"

enum { SIDE = 12, MOLECULES = SIDE * SIDE * SIDE, STEPS = 60 };
static const double BOX = SIDE * 1.1, RANGE = 6.25;

struct molecule {
    double x, y, z, speed_x, speed_y, speed_z, force_x, force_y, force_z;
};

static double inside(double place)
{
    if (place < 0)
        return place + BOX;
    return place >= BOX ? place - BOX : place;
}

static void move(struct molecule *molecule, double time)
{
    molecule->speed_x += molecule->force_x * time;
    molecule->speed_y += molecule->force_y * time;
    molecule->speed_z += molecule->force_z * time;
    molecule->x = inside(molecule->x + molecule->speed_x * time);
    molecule->y = inside(molecule->y + molecule->speed_y * time);
    molecule->z = inside(molecule->z + molecule->speed_z * time);
    molecule->force_x = molecule->force_y = molecule->force_z = 0;
}

/* The way to the nearest image. */
static double nearest(double way)
{
    if (way > BOX / 2)
        return way - BOX;
    return way < -BOX / 2 ? way + BOX : way;
}

__attribute__((noinline)) static void find_forces(struct molecule **all)
{
    for (int i = 0; i < MOLECULES; i++) {
        struct molecule *one = all[i];
        double one_x = one->x, one_y = one->y, one_z = one->z;
        for (int j = i + 1; j < MOLECULES; j++) { /* @pair_loop */
            struct molecule *other = all[j];      /* @other */
            double x = nearest(one_x - other->x); /* @x */
            double y = nearest(one_y - other->y); /* @y */
            double z = nearest(one_z - other->z); /* @z */
            double square = x * x + y * y + z * z;
            if (square < RANGE) {
                double inverse = 1 / square;
                double third = inverse * inverse * inverse;
                double force = 48 * inverse * third * (third - 0.5);
                one->force_x += x * force;
                one->force_y += y * force;
                one->force_z += z * force;
                other->force_x -= x * force;
                other->force_y -= y * force;
                other->force_z -= z * force;
            }
        }
    }
}

static void lattice_new(struct molecule **all)
{
    for (int i = 0; i < MOLECULES; i++) {
        struct molecule *molecule = all[i] = allocate(sizeof *molecule);
        molecule->x = (i % SIDE + 0.5) * 1.1;
        molecule->y = (i / SIDE % SIDE + 0.5) * 1.1;
        molecule->z = (i / (SIDE * SIDE) + 0.5) * 1.1;
        molecule->speed_x = (numbers_next(1000) - 500) / 1000.0;
        molecule->speed_y = (numbers_next(1000) - 500) / 1000.0;
        molecule->speed_z = (numbers_next(1000) - 500) / 1000.0;
    }
}

int main(int argc, char **argv)
{
    int steps = numbers_rounds(argc, argv, STEPS);
    double sum = 0;
    struct molecule **all = allocate(MOLECULES * sizeof(struct molecule *));
    lattice_new(all);
    for (int step = 0; step < steps; step++) {
        find_forces(all);
        for (int i = 0; i < MOLECULES; i++)
            move(all[i], 0.002);
    }
    for (int i = 0; i < MOLECULES; i++)
        sum = 0.999 * sum + all[i]->x + all[i]->y - all[i]->z + all[i]->speed_x;
    printf("steps %d checksum %ld\n", steps, (long)bits_of(sum));
    return 0;
}
