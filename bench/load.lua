-- Makes wrk send the requests of a file (see load.ts) in turn and print what came of them as one line of JSON.
-- "@keys@" in a request is the next line of the file DATA.keys, and "@__number@" the number of the request.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function fileOf(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

local lists = {}
local function linesOf(name)
  if name ~= "" and name ~= "__number" and not lists[name] then
    lists[name] = {}
    for line in fileOf(os.getenv("DATA") .. "." .. name):gmatch("[^\n]+") do
      table.insert(lists[name], line)
    end
  end
  return lists[name]
end

-- Global, as wrk reads the globals of a thread when it is done.
sent = 0
local turns = {}

function init()
  sent = tonumber(os.getenv("FIRST_REQUEST"))
  for template in fileOf(os.getenv("REQUESTS")):gmatch("([^\1]+)\1") do
    local parts = {}
    for text, slot in (template .. "@@"):gmatch("([^@]*)@([%w_]*)@") do
      table.insert(parts, { text = text, slot = slot, lines = linesOf(slot) })
    end
    table.insert(turns, parts)
  end
end

function request()
  local number, texts = sent, {}
  sent = sent + 1
  for _, part in ipairs(turns[number % #turns + 1]) do
    texts[#texts + 1] = part.text
    if part.lines then
      texts[#texts + 1] = part.lines[number % #part.lines + 1]
    elseif part.slot ~= "" then
      texts[#texts + 1] = string.format("%10d", number)
    end
  end
  return table.concat(texts)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f,"nextRequest":%d}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, threads[1]:get("sent")
  ))
end
