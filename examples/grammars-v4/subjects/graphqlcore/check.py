"""Has graphql-core look at a GraphQL document, with its rule LoneAnonymousOperationRule.

0: it finds nothing, 1: it finds something, which is told, 2: a syntax error.
"""
import graphql

# The rule looks at the document alone, but graphql-core wants a schema.
schema = graphql.build_schema("type Query { a: Int }")


def judge(data):
    try:
        document = graphql.parse(data.decode())
        found = graphql.validate(schema, document, [graphql.validation.LoneAnonymousOperationRule])
    except graphql.GraphQLSyntaxError as problem:
        return 2, "malformed: %s\n" % problem.message
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except RecursionError:
        return 2, "malformed: too deep\n"
    # The locations of problems are those of the line before for what stands at the beginning of a line.
    starts = [problem.nodes[0].loc.start_token for problem in found]
    text = "".join("error: %d:%d: %s\n" % (start.line, start.column, problem.message) for start, problem in zip(starts, found))
    return (1 if found else 0), text
