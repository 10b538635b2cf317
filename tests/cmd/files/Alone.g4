parser grammar Alone;
options { tokenVocab = Tokens; }
sums : INT EOF ;
