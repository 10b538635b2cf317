#!/bin/sh
# Gets the grammars of these subjects, unchanged, from one revision of https://github.com/antlr/grammars-v4.
#
#     get-grammars.sh [CLONE]
#
# CLONE is a clone that there is already, bare or not. Without one, that revision is fetched into a temporary folder (some 50 MB).
set -eu
revision=aca577d9e30e591eacbc414f1280f22645412af4
here=$(cd "$(dirname "$0")" && pwd)
clone=${1:-}
if [ -z "$clone" ]; then
    clone=$(mktemp -d)
    trap 'rm -rf "$clone"' EXIT
    git -C "$clone" init -q
    git -C "$clone" fetch -q --depth 1 https://github.com/antlr/grammars-v4 "$revision"
fi
while read -r subject path; do
    git -C "$clone" show "$revision:$path" > "$here/subjects/$subject/$(basename "$path")"
done <<'LIST'
awk awk/awkLexer.g4
awk awk/awkParser.g4
c c/CLexer.g4
c c/CParser.g4
css css3/css3Lexer.g4
css css3/css3Parser.g4
go golang/GoLexer.g4
go golang/GoParser.g4
graphql graphql/GraphQL.g4
proto protobuf/protobuf3/Protobuf3.g4
regex pcre/PCRE.g4
json json/JSON.g4
dot dot/DOT.g4
toml toml/TomlLexer.g4
toml toml/TomlParser.g4
xml xml/XMLLexer.g4
xml xml/XMLParser.g4
js javascript/ecmascript/ECMAScript.g4
sqlite sql/sqlite/SQLiteLexer.g4
sqlite sql/sqlite/SQLiteParser.g4
bc calculator/calculator.g4
bibtex bibtex/BibTeXLexer.g4
bibtex bibtex/BibTeXParser.g4
cmake cmake/CMake.g4
cpp cpp/CPP14Lexer.g4
cpp cpp/CPP14Parser.g4
http http/http.g4
llvm llvm-ir/LLVMIR.g4
prolog prolog/prolog.g4
rust rust/RustLexer.g4
rust rust/RustParser.g4
asl amazon-states-language/ASLLexer.g4
asl amazon-states-language/ASLParser.g4
csv csv/CSV.g4
gml gml/gml.g4
java java/java/JavaLexer.g4
java java/java/JavaParser.g4
riscv asm/asmRISCV/Riscv64G.g4
sieve sieve/sieve.g4
smtlib smtlibv2/SMTLIBv2.g4
conf freedesktop/desktop-entry/DesktopEntryLexer.g4
conf freedesktop/desktop-entry/DesktopEntryParser.g4
javadoc javadoc/JavadocLexer.g4
javadoc javadoc/JavadocParser.g4
json5 json5/JSON5.g4
masm asm/asmMASM/asmMASM.g4
pbm pbm/pbm.g4
solidity solidity/SolidityLexer.g4
solidity solidity/SolidityParser.g4
yara yara/YaraLexer.g4
yara yara/YaraParser.g4
graphqlcore graphql/GraphQL.g4
turtle turtle/TURTLE.g4
url url/url.g4
oncrpc oncrpc/oncrpcv2.g4
oncrpc oncrpc/xdr.g4
wkt wkt/wkt.g4
jsonschema json/JSON.g4
properties properties/PropertiesLexer.g4
properties properties/PropertiesParser.g4
gocompiler golang/GoLexer.g4
gocompiler golang/GoParser.g4
LIST
