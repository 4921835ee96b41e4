# Valgrind reports what its program allocates, and complains about what it does not know of its libraries: an agent
# among them would be in that report.
# needs: valgrind --version
# modes: cpu methods watch calls
valgrind --leak-check=full --show-leak-kinds=all seq 3 2>&1 |
    sed 's/^==[0-9]*==//; s/^--[0-9]*--//'
