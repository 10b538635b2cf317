// Says whether a Go file has a fallthrough as the last statement of the last clause of a switch, as go/types does:
// empty statements behind it and labels before it do not matter, and type switches are another matter.
//
// 0: it has none, 1: it has one, 2: a syntax error.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

func final(list []ast.Stmt) ast.Stmt {
	for n := len(list) - 1; n >= 0; n-- {
		if _, empty := list[n].(*ast.EmptyStmt); !empty {
			statement := list[n]
			for {
				labeled, ok := statement.(*ast.LabeledStmt)
				if !ok {
					return statement
				}
				statement = labeled.Stmt
			}
		}
	}
	return nil
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("fallthrough check 1")
		return
	}
	if len(os.Args) != 2 {
		os.Exit(3)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, os.Args[1], nil, parser.SkipObjectResolution)
	if err != nil {
		fmt.Fprintf(os.Stderr, "syntax error: %v\n", err)
		os.Exit(2)
	}
	code := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if statement, ok := node.(*ast.SwitchStmt); ok && len(statement.Body.List) > 0 {
			clause := statement.Body.List[len(statement.Body.List)-1].(*ast.CaseClause)
			if branch, ok := final(clause.Body).(*ast.BranchStmt); ok && branch.Tok == token.FALLTHROUGH {
				fmt.Fprintf(os.Stderr, "%v: cannot fallthrough final case in switch\n", files.Position(branch.Pos()))
				code = 1
			}
		}
		return true
	})
	os.Exit(code)
}
