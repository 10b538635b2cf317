lexer grammar SumTokens;
POWER : '^' ;
PLUS  : '+' ;
END   : ';' ;
INT   : [0-9]+ ;
SPACE : [ \t\r\n]+ -> skip ;
