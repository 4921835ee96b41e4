/**
 * In the shape of JavaGrande's MolDyn: molecules in a box with periodic walls, which attract and repel each other. They are
 * objects in an array of one dimension: 1728 of 88 bytes, and the array, are 155 KB and fit into a cache of 256 KB.
 *
 * They were allocated in order, so that the array has a stride of 4 bytes, with compressed references, and the molecules one of
 * 88.
 * EXPECT line=@other loop=@pair_loop kind=inter stride=4
 * EXPECT line=@x loop=@pair_loop kind=inter stride=88
 * EXPECT line=@y loop=@pair_loop kind=inter stride=88
 * EXPECT line=@z loop=@pair_loop kind=inter stride=88
 *
 * Argument: a factor for the number of steps.
 */
public class MolDyn {
    static final int SIDE = 12;
    static final int MOLECULES = SIDE * SIDE * SIDE;
    static final double BOX = SIDE * 1.1;
    static final double RANGE = 6.25;
    static final int STEPS = 60;

    static final class Molecule {
        double x;
        double y;
        double z;
        double speedX;
        double speedY;
        double speedZ;
        double forceX;
        double forceY;
        double forceZ;

        void move(double time) {
            speedX += forceX * time;
            speedY += forceY * time;
            speedZ += forceZ * time;
            x = inside(x + speedX * time);
            y = inside(y + speedY * time);
            z = inside(z + speedZ * time);
            forceX = 0;
            forceY = 0;
            forceZ = 0;
        }

        static double inside(double place) {
            if (place < 0) {
                return place + BOX;
            }
            return place >= BOX ? place - BOX : place;
        }
    }

    /** The way to the nearest image. */
    static double nearest(double way) {
        if (way > BOX / 2) {
            return way - BOX;
        }
        return way < -BOX / 2 ? way + BOX : way;
    }

    static void forces(Molecule[] all) {
        for (int i = 0; i < MOLECULES; i++) {
            Molecule one = all[i];
            double oneX = one.x;
            double oneY = one.y;
            double oneZ = one.z;
            for (int j = i + 1; j < MOLECULES; j++) { // @pair_loop
                Molecule other = all[j]; // @other
                double x = nearest(oneX - other.x); // @x
                double y = nearest(oneY - other.y); // @y
                double z = nearest(oneZ - other.z); // @z
                double square = x * x + y * y + z * z;
                if (square < RANGE) {
                    double inverse = 1 / square;
                    double third = inverse * inverse * inverse;
                    double force = 48 * inverse * third * (third - 0.5);
                    one.forceX += x * force;
                    one.forceY += y * force;
                    one.forceZ += z * force;
                    other.forceX -= x * force;
                    other.forceY -= y * force;
                    other.forceZ -= z * force;
                }
            }
        }
    }

    static Molecule[] lattice(Numbers numbers) {
        Molecule[] all = new Molecule[MOLECULES];
        for (int i = 0; i < MOLECULES; i++) {
            Molecule molecule = new Molecule();
            molecule.x = (i % SIDE + 0.5) * 1.1;
            molecule.y = (i / SIDE % SIDE + 0.5) * 1.1;
            molecule.z = (i / (SIDE * SIDE) + 0.5) * 1.1;
            molecule.speedX = (numbers.next(1000) - 500) / 1000.0;
            molecule.speedY = (numbers.next(1000) - 500) / 1000.0;
            molecule.speedZ = (numbers.next(1000) - 500) / 1000.0;
            all[i] = molecule;
        }
        return all;
    }

    static long checksum(Molecule[] all) {
        double sum = 0;
        for (Molecule molecule : all) {
            sum = 0.999 * sum + molecule.x + molecule.y - molecule.z + molecule.speedX;
        }
        return Double.doubleToLongBits(sum);
    }

    public static void main(String[] arguments) {
        int steps = Numbers.rounds(arguments, STEPS);
        Molecule[] all = lattice(new Numbers(2003));
        Numbers.built();
        for (int step = 0; step < steps; step++) {
            forces(all);
            for (Molecule molecule : all) {
                molecule.move(0.002);
            }
        }
        System.out.println("steps " + steps + " checksum " + checksum(all));
    }
}
