-- Counts words, turns texts around, and writes tables as Lua.
local text = [[
It was the best of times,
it was the "worst" of times]]
local long = [==[
]] and ]=] do not end it
]==]

local counts = {}
for word in text:lower():gmatch("%a+") do
  counts[word] = (counts[word] or 0) + 1
end
local words = {}
for word in pairs(counts) do table.insert(words, word) end
table.sort(words, function(a, b)
  if counts[a] ~= counts[b] then return counts[a] > counts[b] end
  return a < b
end)
for i, word in ipairs(words) do
  if i > 3 then goto done end
  print(i, word, counts[word])
end
::done::

local function dump(value, indent)
  indent = indent or ""
  if type(value) ~= "table" then
    return type(value) == "string" and string.format("%q", value) or tostring(value)
  end
  local parts, deeper = {}, indent .. "  "
  for k, v in pairs(value) do
    parts[#parts + 1] = deeper .. "[" .. dump(k) .. "] = " .. dump(v, deeper)
  end
  table.sort(parts)
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
end
print(dump {1, "two", {three = 3, [4.5] = true}, long})

-- A hash with the operators on bits
local function hash(s)
  local h = 0x811c9dc5
  for i = 1, #s do
    h = h ~ s:byte(i)
    h = (h * 0x01000193) & 0xffffffff
    h = (h << 5 | h >> 27) & ~0 & 0xffffffff
  end
  return h
end
print(hash "lua", hash 'a\tb\\\z
                        c\x41\u{20AC}\065')

local words_of = coroutine.wrap(function(...)
  for _, s in ipairs {...} do coroutine.yield(s) end
end)
local first = words_of("x", 'y', [[z]]) -- the last comment
