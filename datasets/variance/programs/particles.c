/* As in GTC: particles are stored in the order of their cells, in which they are used; they move, and after some steps
 * their cells' data is fetched from all over memory. After: they are sorted by cell now and then. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 5 /* steps between two sorts */ };

struct cell {
    double field[8]; /* a line of the cache */
};
struct particle {
    uint32_t cell;
    float speed;
};

static struct cell *cells;
static struct particle *particles, *sorted;
static uint32_t cell_count, particle_count, *starts;
static uint64_t state = 1;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

__attribute__((noinline)) double push(void)
{
    double sum = 0;
    for (uint32_t i = 0; i < particle_count; i++) {
        struct cell *cell = &cells[particles[i].cell];
        cell->field[0] += particles[i].speed;
        sum += cell->field[1];
    }
    return sum;
}

/* A tenth of the particles goes to another cell. */
__attribute__((noinline)) void shift(void)
{
    for (uint32_t i = 0; i < particle_count; i++)
        if (draw() % 10 == 0)
            particles[i].cell = (uint32_t)(draw() % cell_count);
}

__attribute__((noinline)) void sort(void)
{
    memset(starts, 0, (cell_count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < particle_count; i++)
        starts[particles[i].cell + 1]++;
    for (uint32_t c = 0; c < cell_count; c++)
        starts[c + 1] += starts[c];
    for (uint32_t i = 0; i < particle_count; i++)
        sorted[starts[particles[i].cell]++] = particles[i];
    struct particle *old = particles;
    particles = sorted;
    sorted = old;
}

int main(int argc, char **argv)
{
    int thousands = argc > 2 ? atoi(argv[2]) : 400, after = argc > 1 && strcmp(argv[1], "after") == 0;
    double sum = 0;
    cell_count = (uint32_t)thousands * 1000;
    particle_count = 2 * cell_count;
    cells = calloc(cell_count, sizeof *cells);
    particles = calloc(particle_count, sizeof *particles);
    sorted = calloc(particle_count, sizeof *sorted);
    starts = calloc(cell_count + 1, sizeof *starts);
    for (uint32_t i = 0; i < particle_count; i++)
        particles[i] = (struct particle){i / 2, 1};
    for (int step = 0; step < 40; step++) {
        for (int k = 0; k < 4; k++) /* charge, field, push, once each for electrons and ions */
            sum += push();
        shift();
        if (after && step % EVERY == EVERY - 1)
            sort();
    }
    for (uint32_t c = 0; c < cell_count; c++)
        sum += cells[c].field[0];
    printf("%g\n", sum);
    return 0;
}
