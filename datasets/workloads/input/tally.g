// Tally, a small language made up for this workload: lexer, parser and tree walker for ANTLR 2.
header {
package tally;
}

class TallyParser extends Parser;
options {
	k = 3;
	buildAST = true;
	exportVocab = Tally;
	defaultErrorHandler = false;
}
tokens {
	PROGRAM; FIELDS; PARAMETERS; BLOCK; CALL; ELEMENT; NEGATE; LIST; BINDINGS; ARM; LAMBDA;
}

program : (declaration)* EOF! { #program = #([PROGRAM, "program"], #program); } ;

declaration
	: "record"^ NAME LBRACE! fields RBRACE!
	| "function"^ NAME LPAR! parameters RPAR! ("returns"! type)? block
	| variable
	;

fields : (field)* { #fields = #([FIELDS, "fields"], #fields); } ;
field : NAME COLON^ type SEMICOLON! ;
parameters
	: (parameter (COMMA! parameter)*)? { #parameters = #([PARAMETERS, "parameters"], #parameters); }
	;
parameter : NAME COLON^ type ;

type
	: "integer" | "real" | "text" | "truth" | NAME
	| "list"^ "of"! type
	| "function"^ LPAR! (type (COMMA! type)*)? RPAR! ARROW! type
	;

block : LBRACE! (statement)* RBRACE! { #block = #([BLOCK, "block"], #block); } ;
variable : "var"^ NAME (COLON! type)? (ASSIGN! expression)? SEMICOLON! ;

statement
	: block
	| variable
	| "if"^ LPAR! expression RPAR! statement
	  (options { warnWhenFollowAmbig = false; } : "else"! statement)?
	| "while"^ LPAR! expression RPAR! statement
	| "for"^ NAME "in"! expression COLON! statement
	| "case"^ expression "of"! LBRACE! (arm)* (otherwise)? RBRACE!
	| "return"^ (expression)? SEMICOLON!
	| "break" SEMICOLON!
	| "print"^ LPAR! expressions RPAR! SEMICOLON!
	| (place (ASSIGN | ADD_ASSIGN | SUB_ASSIGN)) => place (ASSIGN^ | ADD_ASSIGN^ | SUB_ASSIGN^) expression SEMICOLON!
	| expression SEMICOLON!
	| SEMICOLON!
	;

arm : constant (COMMA! constant)* ARROW! statement { #arm = #([ARM, "arm"], #arm); } ;
otherwise : "otherwise"^ ARROW! statement ;
place : NAME (DOT^ NAME | bracket:LBRACKET^ { #bracket.setType(ELEMENT); } expression RBRACKET!)* ;

expression : disjunction (QUESTION^ expression COLON! expression)? ;
disjunction : conjunction ("or"^ conjunction)* ;
conjunction : negation ("and"^ negation)* ;
negation : "not"^ negation | comparison ;
comparison : span ((EQUAL^ | UNEQUAL^ | LESS^ | LESS_EQUAL^ | GREATER^ | GREATER_EQUAL^) span)? ;
span : sum (RANGE^ sum)? ;
sum : product ((PLUS^ | MINUS^) product)* ;
product : sign ((STAR^ | SLASH^ | PERCENT^) sign)* ;
sign : minus:MINUS^ { #minus.setType(NEGATE); } sign | power ;
power : postfix (CARET^ power)? ;

postfix
	: primary
	  ( DOT^ NAME
	  | bracket:LBRACKET^ { #bracket.setType(ELEMENT); } expression RBRACKET!
	  | call:LPAR^ { #call.setType(CALL); } expressions RPAR!
	  )*
	;

primary
	: constant
	| NAME
	| LPAR! expression RPAR!
	| list:LBRACKET^ { #list.setType(LIST); } expressions RBRACKET!
	| "new"^ NAME LBRACE! bindings RBRACE!
	| lambda:"function"^ { #lambda.setType(LAMBDA); } LPAR! parameters RPAR! ARROW! block
	;

bindings : (binding (COMMA! binding)*)? { #bindings = #([BINDINGS, "bindings"], #bindings); } ;
binding : NAME COLON^ expression ;
expressions : (expression (COMMA! expression)*)? ;
constant : INTEGER | REAL | TEXT | "true" | "false" | "nil" ;

class TallyLexer extends Lexer;
options {
	k = 4;
	exportVocab = Tally;
	charVocabulary = '\3'..'\377';
	testLiterals = false;
}

BLANK : (' ' | '\t' | '\f' | '\r' | '\n' { newline(); })+ { $setType(Token.SKIP); } ;
LINE_COMMENT : "//" (~('\n' | '\r'))* { $setType(Token.SKIP); } ;
COMMENT : "/*" ({ LA(2) != '/' }? '*' | '\n' { newline(); } | ~('*' | '\n'))* "*/" { $setType(Token.SKIP); } ;

LBRACE : '{' ;
RBRACE : '}' ;
LPAR : '(' ;
RPAR : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
COMMA : ',' ;
SEMICOLON : ';' ;
COLON : ':' ;
DOT : '.' ;
RANGE : ".." ;
ARROW : "=>" ;
ASSIGN : '=' ;
ADD_ASSIGN : "+=" ;
SUB_ASSIGN : "-=" ;
EQUAL : "==" ;
UNEQUAL : "!=" ;
LESS : '<' ;
LESS_EQUAL : "<=" ;
GREATER : '>' ;
GREATER_EQUAL : ">=" ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
CARET : '^' ;
QUESTION : '?' ;

protected DIGIT : '0'..'9' ;
protected HEX : DIGIT | 'a'..'f' | 'A'..'F' ;
protected ESCAPE : '\\' ('n' | 't' | '\\' | '"') ;
protected EXPONENT : ('e' | 'E') ('+' | '-')? (DIGIT)+ ;

INTEGER
	: ("0x") => "0x" (HEX)+
	| ((DIGIT)+ '.' DIGIT) => (DIGIT)+ '.' (DIGIT)+ (EXPONENT)? { $setType(REAL); }
	| (DIGIT)+
	;
protected REAL : ;
TEXT : '"' (ESCAPE | ~('"' | '\\' | '\n' | '\r'))* '"' ;
NAME options { testLiterals = true; } : ('a'..'z' | 'A'..'Z') ('a'..'z' | 'A'..'Z' | '0'..'9' | '_')* ;

class TallyWalker extends TreeParser;
options {
	importVocab = Tally;
}

program : #(PROGRAM (declaration)*) ;
declaration
	: #("record" NAME #(FIELDS (field)*))
	| #("function" NAME parameters (type)? block)
	| variable
	;
field : #(COLON NAME type) ;
parameters : #(PARAMETERS (field)*) ;
type
	: "integer" | "real" | "text" | "truth" | NAME
	| #("list" type)
	| #("function" (type)+)
	;
block : #(BLOCK (statement)*) ;
variable : #("var" NAME (. )*) ;
statement
	: block
	| variable
	| #("if" expression statement (statement)?)
	| #("while" expression statement)
	| #("for" NAME expression statement)
	| #("case" expression (#(ARM (.)*))* (#("otherwise" (statement)?))?)
	| #("return" (expression)?)
	| "break"
	| #("print" (expression)*)
	| #(ASSIGN expression expression)
	| #(ADD_ASSIGN expression expression)
	| #(SUB_ASSIGN expression expression)
	| expression
	;
expression
	: #(QUESTION expression expression expression)
	| #("or" expression expression)
	| #("and" expression expression)
	| #("not" expression)
	| #(EQUAL expression expression)
	| #(UNEQUAL expression expression)
	| #(LESS expression expression)
	| #(LESS_EQUAL expression expression)
	| #(GREATER expression expression)
	| #(GREATER_EQUAL expression expression)
	| #(RANGE expression expression)
	| #(PLUS expression expression)
	| #(MINUS expression expression)
	| #(STAR expression expression)
	| #(SLASH expression expression)
	| #(PERCENT expression expression)
	| #(NEGATE expression)
	| #(CARET expression expression)
	| #(DOT expression NAME)
	| #(ELEMENT expression expression)
	| #(CALL expression (expression)*)
	| #(LIST (expression)*)
	| #("new" NAME #(BINDINGS (#(COLON NAME expression))*))
	| #(LAMBDA parameters block)
	| INTEGER | REAL | TEXT | "true" | "false" | "nil" | NAME
	;
