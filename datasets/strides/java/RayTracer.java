/**
 * In the shape of JavaGrande's RayTracer: 2048 spheres and 2048 triangles in an array of objects; for each pixel a recursive
 * method looks for the nearest one on the ray, and follows its reflection. The array is sorted by the distance from the eye, so
 * that it leads anywhere, but each object was allocated together with its vectors and its surface.
 *
 * Bytes, with compressed references: a sphere has 32, of which `center` is at 12; its center follows, with x at 16. So it is
 * 32 + 16 - 12 bytes from one to the other. A triangle has 32, too, and `corner` is at 16; the corner follows.
 * EXPECT line=@body loop=@nearest_loop kind=inter stride=4
 * EXPECT line=@center loop=@nearest_loop kind=none
 * EXPECT line=@center_x loop=@nearest_loop kind=intra partner=@center stride=36
 * EXPECT line=@corner loop=@nearest_loop kind=none
 * EXPECT line=@corner_x loop=@nearest_loop kind=intra partner=@corner stride=32
 *
 * Argument: a factor for the number of rows of the picture.
 */
public class RayTracer {
    static final int BODIES = 4096;
    static final int WIDTH = 48;
    static final int ROWS = 48;
    static final int DEPTH = 4;

    static final class Vec {
        final double x;
        final double y;
        final double z;

        Vec(double x, double y, double z) {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        double dot(Vec other) {
            return x * other.x + y * other.y + z * other.z;
        }

        Vec plus(Vec other, double times) {
            return new Vec(x + times * other.x, y + times * other.y, z + times * other.z);
        }

        Vec cross(Vec other) {
            return new Vec(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x);
        }

        Vec unit() {
            double length = Math.sqrt(dot(this));
            return new Vec(x / length, y / length, z / length);
        }
    }

    static final class Surface {
        final double shine;
        final double mirror;

        Surface(Numbers numbers) {
            shine = 0.2 + numbers.next(1000) / 2000.0;
            mirror = numbers.next(1000) / 2000.0;
        }
    }

    abstract static class Body {
        abstract double hit(Vec from, Vec way);

        abstract Vec normal(Vec at);

        abstract Surface surface();

        abstract double distance();
    }

    static double place(Numbers numbers) {
        return numbers.next(2000) / 100.0 - 10;
    }

    static final class Sphere extends Body {
        final Vec center;
        final double square;
        final Surface surface;

        Sphere(Numbers numbers) {
            center = new Vec(place(numbers), place(numbers), 15 + place(numbers));
            surface = new Surface(numbers);
            double radius = 0.2 + numbers.next(1000) / 4000.0;
            square = radius * radius;
        }

        @Override
        double hit(Vec from, Vec way) {
            Vec to = center; // @center
            double x = to.x; // @center_x
            x -= from.x;
            double y = to.y - from.y;
            double z = to.z - from.z;
            double along = x * way.x + y * way.y + z * way.z;
            double root = along * along - (x * x + y * y + z * z) + square;
            if (root < 0) {
                return 0;
            }
            return along - Math.sqrt(root);
        }

        @Override
        Vec normal(Vec at) {
            return at.plus(center, -1).unit();
        }

        @Override
        Surface surface() {
            return surface;
        }

        @Override
        double distance() {
            return center.dot(center);
        }
    }

    static final class Triangle extends Body {
        final Surface surface;
        final Vec corner;
        final Vec edge;
        final Vec other;

        Triangle(Numbers numbers) {
            corner = new Vec(place(numbers), place(numbers), 15 + place(numbers));
            edge = new Vec(place(numbers) / 8, place(numbers) / 8, place(numbers) / 8);
            other = new Vec(place(numbers) / 8, place(numbers) / 8, place(numbers) / 8);
            surface = new Surface(numbers);
        }

        @Override
        double hit(Vec from, Vec way) {
            Vec to = corner; // @corner
            double x = -to.x; // @corner_x
            x += from.x;
            double y = from.y - to.y;
            double z = from.z - to.z;
            Vec first = edge;
            Vec second = other;
            double acrossX = way.y * second.z - way.z * second.y;
            double acrossY = way.z * second.x - way.x * second.z;
            double acrossZ = way.x * second.y - way.y * second.x;
            double volume = first.x * acrossX + first.y * acrossY + first.z * acrossZ;
            double u = (x * acrossX + y * acrossY + z * acrossZ) / volume;
            if (!(u >= 0 && u <= 1)) {
                return 0;
            }
            double turnX = y * first.z - z * first.y;
            double turnY = z * first.x - x * first.z;
            double turnZ = x * first.y - y * first.x;
            double v = (way.x * turnX + way.y * turnY + way.z * turnZ) / volume;
            if (!(v >= 0 && u + v <= 1)) {
                return 0;
            }
            return (second.x * turnX + second.y * turnY + second.z * turnZ) / volume;
        }

        @Override
        Vec normal(Vec at) {
            return edge.cross(other).unit();
        }

        @Override
        Surface surface() {
            return surface;
        }

        @Override
        double distance() {
            return corner.dot(corner);
        }
    }

    final Body[] bodies = new Body[BODIES];
    final Vec light = new Vec(0.6, 0.64, -0.48);

    RayTracer(Numbers numbers) {
        for (int i = 0; i < BODIES; i++) {
            bodies[i] = i % 2 == 0 ? new Sphere(numbers) : new Triangle(numbers);
        }
        java.util.Arrays.sort(bodies, (one, other) -> Double.compare(one.distance(), other.distance()));
    }

    /** What comes along the ray. */
    double trace(Vec from, Vec way, int depth) {
        Body nearest = null;
        double least = 1e9;
        Body[] all = bodies;
        for (int i = 0; i < BODIES; i++) { // @nearest_loop
            Body body = all[i]; // @body
            double distance = body.hit(from, way);
            if (distance > 1e-6 && distance < least) {
                least = distance;
                nearest = body;
            }
        }
        if (nearest == null) {
            return 0.1;
        }
        Vec at = from.plus(way, least);
        Vec normal = nearest.normal(at);
        double toLight = Math.abs(normal.dot(light));
        Surface surface = nearest.surface();
        double seen = 0.1 + surface.shine * toLight;
        if (depth > 1) {
            seen += surface.mirror * trace(at, way.plus(normal, -2 * way.dot(normal)), depth - 1);
        }
        return seen;
    }

    double row(int y) {
        double sum = 0;
        for (int x = 0; x < WIDTH; x++) {
            Vec way = new Vec((x - WIDTH / 2) * 0.024, (y - ROWS / 2) * 0.024, 1).unit();
            sum = 0.999 * sum + trace(new Vec(0, 0, 0), way, DEPTH);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        int rows = Numbers.rounds(arguments, ROWS);
        RayTracer scene = new RayTracer(new Numbers(2003));
        Numbers.built();
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            sum = 0.999 * sum + scene.row(i * 31 % ROWS);
        }
        System.out.println("rows " + rows + " checksum " + Double.doubleToLongBits(sum));
    }
}
