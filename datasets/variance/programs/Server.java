import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An HTTP server with four threads, and four clients of it in the same process. Each fiftieth answer takes a hundred times
 * as long as the others. Argument: how many requests each client makes. Prints what all answers add up to.
 */
public final class Server {
    private static final int THREADS = 4, USUAL = 200, RARE = 50;

    private static long compute(int rounds) {
        long x = 1;
        for (int i = 0; i < rounds * 100; i++)
            x = x * 6364136223846793005L + 1442695040888963407L;
        return x;
    }

    private static long answer(int request) {
        return compute(request % RARE == 0 ? USUAL * 100 : USUAL) & 0xffff;
    }

    private static void handle(HttpExchange exchange) throws IOException {
        int request = Integer.parseInt(exchange.getRequestURI().getQuery());
        byte[] text = Long.toString(answer(request)).getBytes();
        exchange.sendResponseHeaders(200, text.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(text);
        }
    }

    private static long ask(int port, int request) throws IOException {
        URL url = new URL("http", InetAddress.getLoopbackAddress().getHostAddress(), port, "/?" + request);
        try (InputStream in = url.openStream()) {
            return Long.parseLong(new String(in.readAllBytes()));
        }
    }

    private static void run(int port, int requests, AtomicLong sum) {
        try {
            for (int i = 0; i < requests; i++)
                sum.addAndGet(ask(port, i));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int requests = Integer.parseInt(arguments[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService workers = Executors.newFixedThreadPool(THREADS);
        server.setExecutor(workers);
        server.createContext("/", Server::handle);
        server.start();
        AtomicLong sum = new AtomicLong();
        List<Thread> clients = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            Thread client = new Thread(() -> run(server.getAddress().getPort(), requests, sum), "client " + t);
            client.start();
            clients.add(client);
        }
        for (Thread client : clients)
            client.join();
        server.stop(0);
        workers.shutdown();
        System.out.println(sum.get());
    }
}
