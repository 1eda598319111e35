-- mul_div: a * b / c as quotient and rest, exact where the product passes 2^53
--
-- a and the quotient are at most about 2 * 10^9, and b and c at most 366 days in microseconds. A quotient in floating
-- point is then wrong by very few; the rest shows by how many. It is a small difference of two large products: both are
-- taken in two parts of which each is exact, and so is their difference. Quotients beyond 10^9 are taken in two halves.
local PART = 2 ^ 22
local mul_div
function mul_div(a, b, c)
  local product = a * b
  if product < 2 ^ 53 then
    local rest = product % c
    return (product - rest) / c, rest
  end
  if product > 1000000000 * c then
    local half = (b - b % 2) / 2
    local quotient, rest = mul_div(a, half, c)
    local other_quotient, other_rest = mul_div(a, b - half, c)
    quotient, rest = quotient + other_quotient, rest + other_rest
    if rest >= c then
      quotient, rest = quotient + 1, rest - c
    end
    return quotient, rest
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
