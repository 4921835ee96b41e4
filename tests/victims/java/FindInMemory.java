import java.util.Random;

/**
 * After Figure 1 of Inagaki, Onodera, Komatsu and Nakatani, Stride Prefetching by Dynamically Inspecting Objects (PLDI 2003): the
 * hot loop of _202.jess. A token, its first fact and its array of facts are allocated one after the other; the order of the tokens
 * in the vector is shuffled.
 */
public class FindInMemory {
    static class ValueVector {
        int value;

        ValueVector(int value) {
            this.value = value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ValueVector && ((ValueVector) other).value == value;
        }

        @Override
        public int hashCode() {
            return value;
        }
    }

    static class Token { // 24 bytes with compressed class pointers
        ValueVector[] facts;
        int size = 0;

        Token(ValueVector firstFact) {
            facts = new ValueVector[5];
            facts[size++] = firstFact;
        }
    }

    static class TokenVector {
        Token[] v;
        int ptr;
    }

    static class Node2 {
        Token findInMemory(TokenVector tv, Token t) {
            TokenLoop:
            for (int i = 0; i < tv.ptr; i++) {
                Token tmp = tv.v[i];
                for (int j = 0; j < t.size; j++)
                    if (!t.facts[j].equals(tmp.facts[j]))
                        continue TokenLoop;
                return tmp;
            }
            return null;
        }
    }

    public static void main(String[] arguments) {
        int n = 1000, found = 0;
        Random random = new Random(1);
        TokenVector tv = new TokenVector();
        tv.v = new Token[n];
        for (tv.ptr = 0; tv.ptr < n; tv.ptr++)
            tv.v[tv.ptr] = new Token(new ValueVector(tv.ptr));
        for (int i = n - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            Token swapped = tv.v[i];
            tv.v[i] = tv.v[j];
            tv.v[j] = swapped;
        }
        Node2 node = new Node2();
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++)
            if (node.findInMemory(tv, new Token(new ValueVector(round % (2 * n)))) != null)
                found++;
        System.out.println(found);
    }
}
