-- What the article's register.lua and search.lua ask for, one script: wrk … -s wrk.lua URL -- register|search RUN
-- It counts the answers that confirm a registration, as the article's does, and prints what wrk measured as one line of JSON.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  activity, run = args[1], args[2]
  sent, confirmed = 0, 0
  math.randomseed(number + 1)
end

local function letter()
  return string.char(string.byte("a") + math.random(0, 25))
end

function request()
  local name = letter() .. letter()
  if activity == "search" then
    return wrk.format("GET", "/search?name=" .. name)
  end
  sent = sent + 1
  return wrk.format("POST", "/register?name=" .. run .. ":" .. name .. number .. "-" .. sent)
end

function response(status)
  if status == 302 then
    confirmed = confirmed + 1
  end
end

function done(summary, latency)
  local confirmations = 0
  for _, thread in ipairs(threads) do
    confirmations = confirmations + thread:get("confirmed")
  end
  local permille = {}
  for i = 1, 1000 do
    permille[i] = string.format("%d", latency:percentile(i / 10))
  end
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"durationUs":%d,"bytes":%d,"confirmed":%d,"refused":%d,"timeouts":%d,"broken":%d,"permilleUs":[%s]}',
    summary.requests, summary.duration, summary.bytes, confirmations, errors.status, errors.timeout,
    errors.connect + errors.read + errors.write, table.concat(permille, ",")
  ))
end
