parser grammar Sums;
options { tokenVocab = SumTokens; }
sums : (sum ';')* EOF ;
sum  : <assoc=right> sum '^' sum | sum { plus(); } '+' sum | INT ;
