# Says what a release is called: cmake -DVERSION=1.2.3 -P name.cmake
cmake_minimum_required(VERSION 3.10)

if(NOT DEFINED VERSION)
  set(VERSION 1.4.0)
endif()

set(parts major minor patch)
set(systems
  linux
  windows   # with an installer
  "mac os"
)
set(known_suffixes "tar.gz;zip;dmg" CACHE STRING "What files end in")

function(check_version text result)
  if(text MATCHES "^([0-9]+)\\.([0-9]+)\\.([0-9]+)$")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

macro(add_name system suffix)
  string(REPLACE " " "-" short "${system}")
  list(APPEND names "tool-${VERSION}-${short}.${suffix}")
endmacro()

check_version("${VERSION}" good)
if(NOT good)
  message(WARNING [[a version has three numbers]])
endif()

string(REPLACE "." ";" numbers ${VERSION})
foreach(index RANGE 2)
  list(GET numbers ${index} number)
  list(GET parts ${index} part)
  math(EXPR next "${number} + 1")
  message(STATUS "${part}: ${number}, then ${next}")
endforeach()

set(names)
foreach(system IN ${systems})
  if(system STREQUAL "linux" OR system MATCHES "bsd$")
    add_name(${system} tar.gz)
  elseif(system STREQUAL windows AND (VERSION VERSION_GREATER 1.0 OR DEFINED OLD))
    add_name(${system} zip)
  else()
    add_name("${system}" dmg)
  endif()
endforeach()

list(LENGTH names count)
while(count GREATER 0)
  math(EXPR count "${count} - 1")
  list(GET names ${count} name)
  message(STATUS "${name}")
endwhile()
