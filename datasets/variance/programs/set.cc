// As in MiniFE: a boundary condition asks for each column of each row whether it is one of the boundary's, in a
// std::set, which is a tree; after: in a std::unordered_set.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <unordered_set>
#include <vector>

enum { COLUMNS = 27 }; // of a row: a point and its neighbours in three dimensions

template <class Set> __attribute__((noinline)) bool find(const Set &boundary, int column)
{
    return boundary.find(column) != boundary.end();
}

template <class Set>
__attribute__((noinline)) double impose_dirichlet(std::vector<double> &matrix, int side, const Set &boundary)
{
    double sum = 0;
    for (int row = 0; row < side * side * side; row++)
        for (int k = 0; k < COLUMNS; k++) {
            int column = row + (k % 3 - 1) + (k / 3 % 3 - 1) * side + (k / 9 - 1) * side * side;
            if (find(boundary, column)) {
                sum += matrix[(size_t)row * COLUMNS + k];
                matrix[(size_t)row * COLUMNS + k] = 0;
            }
        }
    return sum;
}

template <class Set> double solve(int side)
{
    std::vector<double> matrix((size_t)side * side * side * COLUMNS, 1);
    Set boundary;
    for (int row = 0; row < side * side * side; row++)
        if (row % side == 0 || row / side % side == 0 || row / side / side == 0)
            boundary.insert(row);
    return impose_dirichlet(matrix, side, boundary);
}

int main(int argc, char **argv)
{
    int side = argc > 2 ? atoi(argv[2]) : 100;
    bool after = argc > 1 && strcmp(argv[1], "after") == 0;
    printf("%g\n", after ? solve<std::unordered_set<int>>(side) : solve<std::set<int>>(side));
    return 0;
}
