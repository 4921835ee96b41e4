-- work.lua ROUNDS - tables and strings: a sieve, word counts and a small matrix product, ROUNDS times. For measuring what
-- a tool costs an interpreter.
local function sieve(n)
    local composite, count = {}, 0
    for i = 2, n do
        if not composite[i] then
            count = count + 1
            for k = i * i, n, i do composite[k] = true end
        end
    end
    return count
end

local function words(n)
    local counts, sum = {}, 0
    for i = 1, n do
        local word = string.format('w%d', i * 7919 % 211)
        counts[word] = (counts[word] or 0) + #word
    end
    for _, count in pairs(counts) do sum = sum + count end
    return sum
end

local function product(n)
    local a, b, trace = {}, {}, 0
    for i = 1, n do
        a[i], b[i] = {}, {}
        for k = 1, n do a[i][k], b[i][k] = i + k, i - k end
    end
    for i = 1, n do
        for k = 1, n do
            local sum = 0
            for j = 1, n do sum = sum + a[i][j] * b[j][k] end
            if i == k then trace = trace + sum end
        end
    end
    return trace
end

local checksum = 0
for round = 1, tonumber(arg[1]) do
    checksum = (checksum * 31 + sieve(20000 + round) + words(4000) + product(30)) % 1000000007
end
print('work.lua: checksum ' .. checksum)
