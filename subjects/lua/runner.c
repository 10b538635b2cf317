/*
 * Runs a Lua program as the upstream main program does when it is given a file: the standard
 * libraries, the script's own arguments in `arg`, and an error with its traceback on standard error.
 * It is ours because the crate that the sources come from leaves that program out.
 *
 *   runner FILE [ARGUMENT...]   exit code 0, or 1 after an error
 *   runner -p FILE...           compiles the files and runs none; tells which have a syntax error. Exit
 *                               code 1 if any has
 *   runner --version
 */

#include <stdio.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static const char *const NAME = "lua";

/* What an error becomes: a text with a traceback, whatever was thrown. */
static int describe(lua_State *lua) {
    const char *message = lua_tostring(lua, 1);
    if (message == NULL) {
        if (luaL_callmeta(lua, 1, "__tostring") && lua_type(lua, -1) == LUA_TSTRING) return 1;
        message = lua_pushfstring(lua, "(error object is a %s value)", luaL_typename(lua, 1));
    }
    luaL_traceback(lua, lua, message, 1);
    return 1;
}

/* Writes the error on the top of the stack, and takes it away. */
static void report(lua_State *lua) {
    const char *message = lua_tostring(lua, -1);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", NAME, message == NULL ? "(no message)" : message);
    lua_pop(lua, 1);
}

/* Everything that may throw happens in here. */
static int run(lua_State *lua) {
    int count = (int)lua_tointeger(lua, 1);
    char **words = lua_touserdata(lua, 2);
    luaL_checkversion(lua);
    luaL_openlibs(lua);
    lua_createtable(lua, count, 1);
    for (int index = 0; index < count; index++) {
        lua_pushstring(lua, words[index]);
        lua_rawseti(lua, -2, index - 1);
    }
    lua_setglobal(lua, "arg");
    lua_pushcfunction(lua, describe);
    int handler = lua_gettop(lua);
    int status = luaL_loadfile(lua, words[1]);
    if (status == LUA_OK) {
        for (int index = 2; index < count; index++) {
            luaL_checkstack(lua, 1, "too many arguments");
            lua_pushstring(lua, words[index]);
        }
        status = lua_pcall(lua, count - 2, 0, handler);
    }
    if (status != LUA_OK) report(lua);
    lua_pushboolean(lua, status == LUA_OK);
    return 1;
}

static int compile(lua_State *lua, int count, char **words) {
    int wrong = 0;
    for (int index = 0; index < count; index++) {
        if (luaL_loadfile(lua, words[index]) != LUA_OK) {
            report(lua);
            wrong = 1;
        } else {
            lua_pop(lua, 1);
        }
    }
    return wrong;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        puts(LUA_COPYRIGHT);
        return 0;
    }
    if (count < 2) {
        fprintf(stderr, "usage: %s FILE [ARGUMENT...] | -p FILE... | --version\n", words[0]);
        return 1;
    }
    lua_State *lua = luaL_newstate();
    if (lua == NULL) {
        fprintf(stderr, "%s: not enough memory\n", NAME);
        return 1;
    }
    int wrong;
    if (strcmp(words[1], "-p") == 0) {
        wrong = compile(lua, count - 2, words + 2);
    } else {
        lua_pushcfunction(lua, run);
        lua_pushinteger(lua, count);
        lua_pushlightuserdata(lua, words);
        int status = lua_pcall(lua, 2, 1, 0);
        if (status != LUA_OK) report(lua);
        wrong = status != LUA_OK || !lua_toboolean(lua, -1);
    }
    lua_close(lua);
    return wrong;
}
