/**
 * The loop of Figure 1, and the loads of Table 1, each on a line of its own: a search for a token in the memory of a node
 * of a rule network. The array of tokens has been filled and emptied again and again; who removes a token moves the last one
 * to its place, so that the array's order is not that in which the tokens were allocated. But each is allocated together with
 * the array of its facts.
 *
 * Bytes, with compressed references: a Token has 24, then its first fact 16, this one's values 32, and the array of facts 40.
 * In a Token `facts` is at 16; in an array the length is at 12, the elements from 16. So it is 72 + 12 - 16 bytes from L9 to
 * L10, which mode memory does not record, and 72 + 16 - 16 from L9 to L11, more than a line of a cache. The field `values` of
 * the fact that L11 leads to, at 24 + 12 from the token, is 52 bytes before what L11 loads.
 *
 * The inner loop has one iteration, so that its loads are seen in the outer one. L1, L2, and L5 to L8 load the same place again
 * and again. Two of these, as L6 and L8, have a constant distance, too; it does not matter whether it counts as a stride.
 * EXPECT line=@l1 loop=@l1 kind=none stride=0
 * EXPECT line=@l2 loop=@l1 kind=none stride=0
 * EXPECT line=@l4 loop=@l1 kind=inter stride=4
 * EXPECT line=@l5 loop=@l1 kind=none stride=0
 * EXPECT line=@l6 loop=@l1 kind=none stride=0
 * EXPECT line=@l8 loop=@l1
 * EXPECT line=@l9 loop=@l1 kind=none
 * EXPECT line=@l11 loop=@l1 kind=intra partner=@l9 stride=72
 * EXPECT line=@values loop=@l1 kind=intra partner=@l11 stride=-52
 *
 * Argument: a factor for the number of searches.
 */
public class FindInMemory {
    static final int TOKENS = 8192;
    static final int SEARCHES = 4000;

    static final class ValueVector {
        final int[] values;

        ValueVector(int first, int second, int third) {
            values = new int[] {first, second, third};
        }

        boolean equals(ValueVector other) {
            int[] mine = values;
            int[] theirs = other.values; // @values
            for (int k = 0; k < mine.length; k++) {
                if (mine[k] != theirs[k]) {
                    return false;
                }
            }
            return true;
        }
    }

    static final class Token {
        ValueVector[] facts;
        int size = 0;

        Token(ValueVector firstFact) {
            facts = new ValueVector[5];
            facts[size++] = firstFact;
        }
    }

    static final class TokenVector {
        Token[] v = new Token[2 * TOKENS];
        int ptr;

        void addElement(Token val) {
            v[ptr++] = val;
        }

        void removeElement(Token val) {
            for (int i = 0; i < ptr; i++) {
                if (v[i] == val) {
                    removeElementAt(i);
                    return;
                }
            }
        }

        void removeElementAt(int i) {
            v[i] = v[--ptr];
            v[ptr] = null;
        }
    }

    static final class Node2 {
        Token findInMemory(TokenVector tv, Token t) {
            tokenLoop:
            for (int i = 0; i < tv.ptr; i++) { // @l1
                Token[] v = tv.v; // @l2
                if (i >= v.length) { // @l3
                    throw new ArrayIndexOutOfBoundsException(i);
                }
                Token tmp = v[i]; // @l4
                for (int j = 0; j < t.size; j++) { // @l5
                    ValueVector[] wanted = t.facts; // @l6
                    if (j >= wanted.length) { // @l7
                        throw new ArrayIndexOutOfBoundsException(j);
                    }
                    ValueVector fact = wanted[j]; // @l8
                    ValueVector[] facts = tmp.facts; // @l9
                    if (j >= facts.length) { // @l10
                        throw new ArrayIndexOutOfBoundsException(j);
                    }
                    ValueVector other = facts[j]; // @l11
                    if (!fact.equals(other)) {
                        continue tokenLoop;
                    }
                }
                return tmp;
            }
            return null;
        }
    }

    static int made;

    /** No two have the same first fact. */
    static Token token(int number, Numbers numbers) {
        return new Token(new ValueVector(number * 31 ^ 5, numbers.next(1000), number));
    }

    public static void main(String[] arguments) {
        int searches = Numbers.rounds(arguments, SEARCHES);
        Numbers numbers = new Numbers(2003);
        TokenVector memory = new TokenVector();
        while (made < TOKENS) {
            memory.addElement(token(made++, numbers));
        }
        for (int i = 0; i < 4 * TOKENS; i++) {
            memory.removeElementAt(numbers.next(memory.ptr));
            memory.addElement(token(made++, numbers));
        }
        Numbers.built();
        Node2 node = new Node2();
        int found = 0;
        long checksum = 0;
        for (int i = 0; i < searches; i++) {
            int number = numbers.next(made);
            ValueVector any = new ValueVector(number * 31 ^ 5, 0, number);
            Token known = memory.v[numbers.next(memory.ptr)];
            Token wanted = new Token(i % 2 == 0 ? any : known.facts[0]);
            Token token = node.findInMemory(memory, wanted);
            if (token != null) {
                found++;
                checksum = 31 * checksum + token.facts[0].values[2];
                memory.removeElement(token);
                memory.addElement(token(made++, numbers));
            }
        }
        System.out.println("found " + found + " checksum " + checksum);
    }
}
