import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The same change of SableCC as in Treemap, with a large grammar: more items in each set. */
final class Itemsets extends Treemap {
    /** The size: -Ditemsets.statements=6 has a small grammar. */
    private static final int STATEMENTS = Integer.getInteger("itemsets.statements", 60);
    private static final int OPERATOR_LEVELS = STATEMENTS / 2;

    private static final String TOKENS = String.join("\n",
        "Package grown;",
        "Helpers",
        "  digit = ['0' .. '9'];",
        "  letter = [['a' .. 'z'] + ['A' .. 'Z']];",
        "Tokens",
        "  blank = (' ' | 10 | 9)+;",
        "  l_par = '('; r_par = ')'; l_bracket = '['; r_bracket = ']'; l_brace = '{'; r_brace = '}';",
        "  comma = ','; semicolon = ';'; dot = '.'; assign = '='; question = '?'; colon = ':'; minus = '-';",
        "  type_word = 'type'; integer = 'integer'; public = 'public'; shared = 'shared'; extends = 'extends';",
        "  new = 'new'; else = 'else'; return = 'return';", "");
    private static final String DECLARATIONS = String.join("\n",
        "  number = digit+;",
        "  name = letter (letter | digit)*;",
        "Ignored Tokens",
        "  blank;",
        "Productions",
        "  unit = declaration*;",
        "  declaration = modifier* type_word name super? l_brace member* r_brace;",
        "  super = extends name;",
        "  modifier = {public} public | {shared} shared;",
        "  member = {field} type name initial? semicolon | {method} type name l_par parameters? r_par block",
        "    | {constructor} type_word name l_par parameters? r_par block;",
        "  parameters = {one} parameter | {more} parameters comma parameter;",
        "  parameter = type name;",
        "  type = {integer} integer | {name} type_word name | {array} type l_bracket r_bracket;",
        "  initial = assign expression;",
        "  block = l_brace statement* r_brace;",
        "  statement = {open} open | {closed} closed;", "");
    private static final String PRIMARIES = String.join("\n",
        "  unary = {minus} minus unary | {primary} primary;",
        "  primary = {name} name | {number} number | {brackets} l_par expression r_par",
        "    | {call} primary l_par arguments? r_par | {field} primary dot name",
        "    | {index} primary l_bracket expression r_bracket | {new} new name l_par arguments? r_par;",
        "  arguments = {one} expression | {more} arguments comma expression;", "");

    Itemsets() throws IOException {
        super(written());
    }

    private static File written() throws IOException {
        Path file = Files.createTempFile("grown", ".sablecc");
        file.toFile().deleteOnExit();
        return Files.writeString(file, TOKENS + words() + DECLARATIONS + statements() + expressions() + PRIMARIES).toFile();
    }

    /** As names of tokens have no digits: aa, ab … */
    private static String letters(int number) {
        return "" + (char) ('a' + number / 26) + (char) ('a' + number % 26);
    }

    /** Two operators a level, and a keyword for each statement. */
    private static String words() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < OPERATOR_LEVELS; i++) {
            text.append(String.format("  left_%1$s = '<%1$s'; right_%1$s = '>%1$s';%n", letters(i)));
        }
        for (int i = 0; i < STATEMENTS; i++) {
            text.append(String.format("  word_%1$s = 'word%1$s';%n", letters(i)));
        }
        return text.toString();
    }

    /** A third each are conditions, loops and simple statements; "else" belongs to the nearest condition. */
    private static String statements() {
        StringBuilder open = new StringBuilder();
        StringBuilder closed = new StringBuilder("{block} block | {variable} type name initial? semicolon"
            + " | {expression} expression semicolon | {return} return expression? semicolon | {empty} semicolon");
        for (int i = 0; i < STATEMENTS; i++) {
            String head = String.format("%1$s} word_%1$s l_par expression r_par", letters(i));
            if (i % 3 == 0) {
                open.append(String.format("%s{short_%s statement | {long_%s closed else open", i == 0 ? "" : " | ", head, head));
                closed.append(String.format(" | {long_%s [yes]:closed else [no]:closed", head));
            } else if (i % 3 == 1) {
                open.append(String.format(" | {loop_%s open", head));
                closed.append(String.format(" | {loop_%s closed", head));
            } else {
                closed.append(String.format(" | {simple_%1$s} word_%1$s expression? semicolon", letters(i)));
            }
        }
        return String.format("  open = %s;%n  closed = %s;%n", open, closed);
    }

    private static String expressions() {
        StringBuilder text = new StringBuilder("  expression = {choice} level_aa question [yes]:expression colon"
            + " [no]:expression | {assign} primary assign expression | {level} level_aa;\n");
        for (int i = 0; i < OPERATOR_LEVELS; i++) {
            String next = i + 1 < OPERATOR_LEVELS ? "level_" + letters(i + 1) : "unary";
            text.append(String.format("  level_%1$s = {left} level_%1$s left_%1$s %2$s | {right} level_%1$s right_%1$s %2$s"
                + " | {next} %2$s;%n", letters(i), next));
        }
        return text.toString();
    }
}
