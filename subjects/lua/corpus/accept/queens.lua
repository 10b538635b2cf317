-- Places queens on a board so that none attacks another, and counts the ways.
local size = tonumber(arg and arg[1]) or 6
local found = 0

local function is_free(board, row, column)
  for other = 1, row - 1 do
    local distance = row - other
    if board[other] == column or board[other] - distance == column or board[other] + distance == column then
      return false
    end
  end
  return true
end

local function place(board, row)
  if row > size then
    found = found + 1
    return
  end
  for column = 1, size do
    if is_free(board, row, column) then
      board[row] = column
      place(board, row + 1)
      board[row] = nil
    end
  end
end

place({}, 1)
print(string.format("%d queens: %d ways", size, found))
