// What picireny is told of the inputs in reducers-others.toml: JSON documents as grammars/json.ebnf has them,
// expressions, and programs in Lua, of which it knows words, blocks and brackets alone. A start rule for each.
grammar Inputs;

json       : value EOF ;
value      : record | sequence | STRING | NUMBER | NAME ;
record     : '{' (item (', ' item)*)? '}' ;
item       : STRING ': ' value ;
sequence   : '[' (value (', ' value)*)? ']' ;

expression : terms EOF ;
terms      : factors (SPACE? ('+' | '-') SPACE? factors)* ;
factors    : factor (SPACE? ('*' | '/') SPACE? factor)* ;
factor     : ('+' | '-') factor | '(' terms ')' | NUMBER ('.' NUMBER)? ;

program    : part* EOF ;
part       : block | brackets | word ;
block      : ('function' | 'do' | 'then' | 'repeat') part* ('end' | 'until' | 'else' | 'elseif') ;
brackets   : '(' part* ')' | '[' part* ']' | '{' part* '}' ;
word       : NAME | NUMBER | STRING | SPACE | ', ' | ': ' | '+' | '-' | '*' | '/' | '.' | 'if' | 'else' | OTHER ;

STRING     : '"' ('\\' . | ~["\\])* '"' | '\'' ('\\' . | ~['\\])* '\'' ;
NUMBER     : [0-9]+ ;
NAME       : [A-Za-z_] [A-Za-z_0-9]* ;
SPACE      : [ \t\r\n]+ ;
OTHER      : . ;
