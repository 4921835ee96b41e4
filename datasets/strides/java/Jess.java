/**
 * In the shape of _202_jess: rules match facts that come and go. Each rule joins two kinds of facts where two slots agree; it
 * keeps tokens of each kind in a memory. A new fact is compared with all tokens in the memory of the other kind; a fact that
 * goes is looked up with findInMemory(), which is hot, but does not dominate. For each fact that stays another one is only asked
 * about.
 *
 * The facts were allocated in another order than that in which the memories hold their tokens. Bytes, with compressed
 * references: a Token 24, with `facts` at 16, then its array of 5 facts, 40.
 * EXPECT line=@token loop=@find_loop kind=inter stride=4
 * EXPECT line=@facts loop=@find_loop kind=none
 * EXPECT line=@fact loop=@find_loop kind=intra partner=@facts stride=24
 * EXPECT line=@joined loop=@join_loop kind=inter stride=4
 * EXPECT line=@joined_facts loop=@join_loop kind=none
 * EXPECT line=@joined_fact loop=@join_loop kind=intra partner=@joined_facts stride=24
 *
 * Argument: a factor for the number of facts that come and go.
 */
public class Jess {
    static final int FACTS = 1600;
    static final int KINDS = 8;
    static final int SLOTS = 4;
    static final int RULES = 24;
    static final int STEPS = 12000;

    static final class Fact {
        final int kind;
        final int[] slots = new int[SLOTS];

        Fact(Numbers numbers) {
            kind = numbers.next(KINDS);
            for (int i = 0; i < SLOTS; i++) {
                slots[i] = numbers.next(20);
            }
        }

        boolean same(Fact other) {
            if (kind != other.kind) {
                return false;
            }
            for (int i = 0; i < SLOTS; i++) {
                if (slots[i] != other.slots[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    static final class Token {
        int size;
        Fact[] facts = new Fact[5];

        Token(Fact first) {
            facts[size++] = first;
        }
    }

    static final class Memory {
        Token[] tokens = new Token[FACTS];
        int count;

        void add(Token token) {
            tokens[count++] = token;
        }

        void remove(Token token) {
            for (int i = 0; i < count; i++) {
                if (tokens[i] == token) {
                    tokens[i] = tokens[--count];
                    tokens[count] = null;
                    return;
                }
            }
        }

        Token findInMemory(Token wanted) {
            next:
            for (int i = 0; i < count; i++) { // @find_loop
                Token[] all = tokens;
                Token token = all[i]; // @token
                for (int j = 0; j < wanted.size; j++) {
                    Fact[] facts = token.facts; // @facts
                    Fact fact = facts[j]; // @fact
                    if (!fact.same(wanted.facts[j])) {
                        continue next;
                    }
                }
                return token;
            }
            return null;
        }
    }

    /** Two slots that must agree. */
    static final class Test {
        final int[] slots = new int[2];

        Test(Numbers numbers) {
            slots[0] = numbers.next(SLOTS);
            slots[1] = numbers.next(SLOTS);
        }

        boolean passes(Fact fact, Fact other, int side) {
            return fact.slots[slots[side]] == other.slots[slots[1 - side]];
        }
    }

    static final class Rule {
        final int[] kinds = new int[2];
        final Test[] tests = new Test[2];
        final Memory[] memories = {new Memory(), new Memory()};

        Rule(Numbers numbers) {
            for (int i = 0; i < 2; i++) {
                kinds[i] = numbers.next(KINDS);
                tests[i] = new Test(numbers);
            }
        }

        boolean passes(Fact fact, Fact other, int side) {
            for (Test test : tests) {
                if (!test.passes(fact, other, side)) {
                    return false;
                }
            }
            return true;
        }

        /** How often the rule fires with a new fact, which is on one side of it. */
        int join(Fact fact, int side) {
            int fired = 0;
            Memory memory = memories[1 - side];
            Token[] all = memory.tokens;
            for (int i = 0; i < memory.count; i++) { // @join_loop
                Token token = all[i]; // @joined
                Fact[] facts = token.facts; // @joined_facts
                Fact other = facts[0]; // @joined_fact
                if (passes(fact, other, side)) {
                    fired++;
                }
            }
            return fired;
        }
    }

    /** How often rules fire with a fact, which stays or not. */
    static int enter(Rule[] rules, Fact fact, boolean stays) {
        int fired = 0;
        for (Rule rule : rules) {
            for (int side = 0; side < 2; side++) {
                if (rule.kinds[side] == fact.kind) {
                    fired += rule.join(fact, side);
                    if (stays) {
                        rule.memories[side].add(new Token(fact));
                    }
                }
            }
        }
        return fired;
    }

    static void leave(Rule[] rules, Fact fact) {
        for (Rule rule : rules) {
            for (int side = 0; side < 2; side++) {
                if (rule.kinds[side] == fact.kind) {
                    Memory memory = rule.memories[side];
                    memory.remove(memory.findInMemory(new Token(fact)));
                }
            }
        }
    }

    public static void main(String[] arguments) {
        int steps = Numbers.rounds(arguments, STEPS);
        Numbers numbers = new Numbers(2003);
        Rule[] rules = new Rule[RULES];
        for (int i = 0; i < RULES; i++) {
            rules[i] = new Rule(numbers);
        }
        Fact[] facts = new Fact[FACTS];
        long fired = 0;
        long checksum = 0;
        for (int i = 0; i < FACTS; i++) {
            facts[i] = new Fact(numbers);
            fired += enter(rules, facts[i], true);
        }
        Numbers.built();
        for (int step = 0; step < steps; step++) {
            int one = numbers.next(FACTS);
            leave(rules, facts[one]);
            facts[one] = new Fact(numbers);
            int now = enter(rules, facts[one], true) + enter(rules, new Fact(numbers), false);
            fired += now;
            checksum = 31 * checksum + now;
        }
        System.out.println("fired " + fired + " checksum " + checksum);
    }
}
