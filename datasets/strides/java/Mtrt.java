/**
 * In the shape of _227_mtrt: two threads trace rays through an octree, each half of the rows of the picture. A leaf of the
 * tree has an array of some spheres; which objects a ray meets depends on the tree, and loops are short.
 *
 * The loop over the children of a node has eight iterations: from one to the next the array goes on by 4 bytes. A child was
 * allocated before all that is below it, and its bounds right after its own 32 bytes; from its field `bounds`, at 16, to their
 * first field, at 16, it is 32.
 * EXPECT line=@child loop=@child_loop kind=inter stride=4
 * EXPECT line=@bounds loop=@child_loop kind=none
 * EXPECT line=@low loop=@child_loop kind=intra partner=@bounds stride=32
 *
 * Argument: a factor for the number of rows of the picture.
 */
public class Mtrt {
    static final int SPHERES = 4096;
    static final int LEAF = 8;
    static final int WIDTH = 256;
    static final int ROWS = 256;
    static final int THREADS = 2;

    static final class Bounds {
        final double lowX;
        final double lowY;
        final double lowZ;
        final double size;

        Bounds(double lowX, double lowY, double lowZ, double size) {
            this.lowX = lowX;
            this.lowY = lowY;
            this.lowZ = lowZ;
            this.size = size;
        }

        Bounds part(int number) {
            double half = size / 2;
            return new Bounds(lowX + (number & 1) * half, lowY + (number >> 1 & 1) * half, lowZ + (number >> 2) * half, half);
        }
    }

    static final class Sphere {
        double x;
        double y;
        double z;
        double square;

        Sphere(Numbers numbers) {
            x = numbers.next(16000) / 1000.0 - 8;
            y = numbers.next(16000) / 1000.0 - 8;
            z = numbers.next(16000) / 1000.0 + 4;
            square = 0.01 + numbers.next(100) / 2000.0;
        }

        /** How far it is along a ray from the origin; 0: not on it. */
        double hit(double wayX, double wayY, double wayZ) {
            double along = x * wayX + y * wayY + z * wayZ;
            double root = along * along - (x * x + y * y + z * z) + square;
            return root < 0 ? 0 : along - Math.sqrt(root);
        }

        /** Whether its middle is in the bounds; some spheres reach beyond. */
        boolean in(Bounds bounds) {
            return x >= bounds.lowX && x < bounds.lowX + bounds.size && y >= bounds.lowY && y < bounds.lowY + bounds.size
                && z >= bounds.lowZ && z < bounds.lowZ + bounds.size;
        }
    }

    static final class Node {
        final Bounds bounds;
        Node[] children;
        Sphere[] spheres;
        int depth;

        Node(Bounds around, int part, int depth) {
            bounds = part < 0 ? around : around.part(part);
            this.depth = depth;
        }

        void fill(Sphere[] all, int count) {
            if (count <= LEAF || depth == 8) {
                spheres = java.util.Arrays.copyOf(all, count);
                return;
            }
            children = new Node[8];
            for (int i = 0; i < 8; i++) {
                children[i] = new Node(bounds, i, depth + 1);
                Sphere[] inside = new Sphere[count];
                int found = 0;
                for (int k = 0; k < count; k++) {
                    if (all[k].in(children[i].bounds)) {
                        inside[found++] = all[k];
                    }
                }
                children[i].fill(inside, found);
            }
        }

        /** Whether the ray from the origin passes the bounds, or close by. */
        boolean meets(double wayX, double wayY, double wayZ) {
            Bounds box = bounds; // @bounds
            double x = box.lowX; // @low
            double half = box.size / 2;
            x += half;
            double y = box.lowY + half;
            double z = box.lowZ + half;
            double along = x * wayX + y * wayY + z * wayZ;
            double radius = 2 * half + 0.3;
            return x * x + y * y + z * z - along * along <= radius * radius;
        }

        double nearest(double wayX, double wayY, double wayZ) {
            double least = 1e9;
            if (spheres != null) {
                for (int i = 0; i < spheres.length; i++) {
                    double distance = spheres[i].hit(wayX, wayY, wayZ);
                    if (distance > 0 && distance < least) {
                        least = distance;
                    }
                }
                return least;
            }
            Node[] below = children;
            for (int i = 0; i < 8; i++) { // @child_loop
                Node child = below[i]; // @child
                if (child.meets(wayX, wayY, wayZ)) {
                    double distance = child.nearest(wayX, wayY, wayZ);
                    if (distance < least) {
                        least = distance;
                    }
                }
            }
            return least;
        }
    }

    static double row(Node root, int y) {
        double sum = 0;
        for (int x = 0; x < WIDTH; x++) {
            double wayX = (x - WIDTH / 2) / 400.0;
            double wayY = (y - ROWS / 2) / 400.0;
            double length = Math.sqrt(wayX * wayX + wayY * wayY + 1);
            double distance = root.nearest(wayX / length, wayY / length, 1 / length);
            sum = 0.999 * sum + (distance < 1e9 ? distance : 0);
        }
        return sum;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rows = Numbers.rounds(arguments, ROWS);
        Numbers numbers = new Numbers(2003);
        Sphere[] all = new Sphere[SPHERES];
        for (int i = 0; i < SPHERES; i++) {
            all[i] = new Sphere(numbers);
        }
        Node root = new Node(new Bounds(-8, -8, 4, 16), -1, 0);
        root.fill(all, SPHERES);
        Numbers.built();
        double[] sums = new double[rows];
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            threads[t] = new Thread(() -> {
                for (int i = first; i < rows; i += THREADS) {
                    sums[i] = row(root, i * 31 % ROWS);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double sum = 0;
        for (double each : sums) {
            sum = 0.999 * sum + each;
        }
        System.out.println("rows " + rows + " checksum " + Double.doubleToLongBits(sum));
    }
}
