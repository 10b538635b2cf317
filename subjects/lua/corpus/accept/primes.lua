local function primes(n)
  local sieve, list = {}, {}
  for i = 2, n do sieve[i] = true end
  for i = 2, n do
    if sieve[i] then
      list[#list + 1] = i
      for j = i * i, n, i do sieve[j] = false end
    end
  end
  return list
end

local function gcd(a, b) while b ~= 0 do a, b = b, a % b end return a end

local x, y = 0, 1
while x < 100 do
  x, y = y, x + y
end

assert(-2 ^ 2 == -4 and not (1 == 2) and 7 // 2 == 3 and 2 ^ 3 ^ 2 == 512)
local t = {n = 0, f = function(self, k) self.n = self.n + (k or 1); return self end}
t:f():f(2):f(3)
;(t.f)(t, 4)
print(#primes(100), gcd(48, 18), x, y, t.n, 1 .. 2, 0x1p4, .5e1, 3.)
return t.n, ...
