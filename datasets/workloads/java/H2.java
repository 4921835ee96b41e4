import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** Moves money between the accounts of a bank in an H2 database in memory. */
public final class H2 {
    private static final int ACCOUNTS = 5000;
    private static final int TRANSFERS = 10000;

    public static void main(String[] args) throws Exception {
        try (Connection bank = DriverManager.getConnection("jdbc:h2:mem:bank")) {
            bank.setAutoCommit(false);
            Harness.repeat("h2", args[0], () -> iterate(bank));
        }
    }

    private static long iterate(Connection bank) throws SQLException {
        open(bank);
        transfer(bank, new Random(1));
        return audit(bank);
    }

    private static void open(Connection bank) throws SQLException {
        try (Statement statement = bank.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS movement; DROP TABLE IF EXISTS account");
            statement.execute("CREATE TABLE account(id INT PRIMARY KEY, owner VARCHAR(40), branch INT, cents BIGINT)");
            statement.execute("CREATE TABLE movement(id INT AUTO_INCREMENT PRIMARY KEY, source INT, target INT, cents BIGINT)");
            statement.execute("CREATE INDEX movement_source ON movement(source)");
            statement.execute("INSERT INTO account SELECT x, 'owner ' || x, MOD(x, 37), 100000 FROM SYSTEM_RANGE(1, " + ACCOUNTS + ")");
        }
        bank.commit();
    }

    private static void transfer(Connection bank, Random random) throws SQLException {
        try (PreparedStatement add = bank.prepareStatement("UPDATE account SET cents = cents + ? WHERE id = ?");
             PreparedStatement log = bank.prepareStatement("INSERT INTO movement(source, target, cents) VALUES(?, ?, ?)")) {
            for (int i = 1; i <= TRANSFERS; i++) {
                int source = 1 + random.nextInt(ACCOUNTS);
                int target = 1 + random.nextInt(ACCOUNTS);
                long cents = random.nextInt(5000);
                execute(add, -cents, source);
                execute(add, cents, target);
                execute(log, source, target, cents);
                if (i % 10 == 0) {
                    bank.rollback();
                } else if (i % 5 == 0) {
                    bank.commit();
                }
            }
        }
        bank.commit();
    }

    private static void execute(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        statement.executeUpdate();
    }

    private static long audit(Connection bank) throws SQLException {
        String query = "SELECT a.branch, SUM(m.cents), COUNT(DISTINCT m.target), MIN(a.cents) FROM account a"
            + " JOIN movement m ON m.source = a.id GROUP BY a.branch ORDER BY a.branch";
        long sum = 0;
        try (Statement statement = bank.createStatement(); ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                sum = 31 * sum + rows.getLong(2) + rows.getLong(3) + rows.getLong(4);
            }
        }
        return sum & 0xffffffffL;
    }
}
