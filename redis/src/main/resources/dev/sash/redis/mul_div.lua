-- mul_div: a * b / c as quotient and rest, exact where the product passes 2^53
--
-- a <= 10^9 and a * b <= 10^9 * 366 days, and either c or the quotient is at most about 10^9. A quotient in
-- floating point is then wrong by very few; the rest tells by how many. It is a small difference of two large
-- products: both are taken in two parts of which each is exact, and so is their difference.
local PART = 2 ^ 22
local function mul_div(a, b, c)
  local product = a * b
  if product < 2 ^ 53 then
    local rest = product % c
    return (product - rest) / c, rest
  end
  local quotient = math.floor(product / c)
  local small, large = math.min(quotient, c), math.max(quotient, c)
  local b_low, large_low = b % PART, large % PART
  local rest = (a * ((b - b_low) / PART) - small * ((large - large_low) / PART)) * PART
    + (a * b_low - small * large_low)
  while rest < 0 do
    quotient, rest = quotient - 1, rest + c
  end
  while rest >= c do
    quotient, rest = quotient + 1, rest - c
  end
  return quotient, rest
end
