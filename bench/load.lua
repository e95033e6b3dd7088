-- Makes wrk send the requests of a file (see load.ts) in turn and print what came of them as one line of JSON.
-- "@keys@" in a request is the next line of the file DATA.keys, "@number@" the number of the request, and
-- "@_number_@" the same, as long as its name.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function parts(path, pattern)
  local file, found = assert(io.open(path)), {}
  for part in file:read("*a"):gmatch(pattern) do
    table.insert(found, part)
  end
  file:close()
  return found
end

local lists = setmetatable({}, { __index = function(known, name)
  known[name] = not name:find("number") and parts(os.getenv("DATA") .. "." .. name, "[^\n]+")
  return known[name]
end })

local turns
-- Global, as wrk reads the globals of a thread when it is done.
sent = tonumber(os.getenv("FIRST_REQUEST"))

local function filled(name)
  local lines = lists[name]
  return lines and lines[sent % #lines + 1] or string.format(name == "number" and "%d" or "%10d", sent)
end

function init()
  turns = parts(os.getenv("REQUESTS"), "[^\1]+")
end

function request()
  sent = sent + 1
  return (turns[sent % #turns + 1]:gsub("@([%w_]+)@", filled))
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
