--[[
  Classes by means of metatables, with inheritance,
  and a stack that is made with closures.
]]
local Account = {}
Account.__index = Account

function Account.new(owner, balance)
  return setmetatable({owner = owner, balance = balance or 0; history = {}}, Account)
end

function Account:deposit(amount)
  assert(amount > 0, "an amount must be positive")
  self.balance = self.balance + amount
  self.history[#self.history + 1] = {kind = "in", amount}
  return self
end

function Account:withdraw(amount)
  if amount > self.balance then
    error({code = 42, message = 'not enough: ' .. tostring(self.balance)})
  elseif amount == 0 then
    return self
  else
    self.balance = self.balance - amount
  end
  return self
end

Account.__tostring = function(self)
  return ("%s has %d"):format(self.owner, self.balance)
end

local Savings = setmetatable({}, {__index = Account})
Savings.__index, Savings.__tostring = Savings, Account.__tostring

function Savings.new(...)
  local self = Account.new(...)
  return setmetatable(self, Savings)
end

function Savings:interest(rate) self:deposit(self.balance * rate // 100) end

local a = Savings.new("Ada", 100)
a:deposit(50):withdraw(30)
a:interest(10)
print(a)
print(pcall(a.withdraw, a, 1e6))

do
  local function stack()
    local items, top = {}, 0
    return {
      push = function(x) top = top + 1; items[top] = x end,
      pop = function()
        if top == 0 then return nil end
        local x = items[top]
        items[top], top = nil, top - 1
        return x
      end,
    }
  end
  local s = stack()
  for _, word in ipairs {"one", "two", "three"} do s.push(word) end
  repeat
    local word = s.pop()
    if not word then break end
    io.write(word, ";", "\n")
  until word == nil
end
