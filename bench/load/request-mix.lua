-- Makes wrk send a request mix (see request-mix.ts) and print its result as one line of JSON.
local mix = dofile(os.getenv("REQUEST_MIX"))

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function linesOf(path)
  local lines = {}
  for line in io.lines(path) do
    lines[#lines + 1] = line
  end
  return lines
end

-- Global, as wrk reads the globals of a thread when it is done.
sent = 0
local turns = {}

function init()
  sent = tonumber(os.getenv("FIRST_REQUEST"))
  local files = {}
  for _, template in ipairs(mix) do
    for _, part in ipairs(template.parts) do
      if type(part) == "table" and part.linesOf then
        files[part.linesOf] = files[part.linesOf] or linesOf(part.linesOf)
        part.lines = files[part.linesOf]
      end
    end
    for _ = 1, template.weight do
      turns[#turns + 1] = template.parts
    end
  end
end

local function textOf(part, number)
  if type(part) == "string" then
    return part
  elseif part.lines then
    return part.lines[number % #part.lines + 1]
  end
  return string.format(part.format, number)
end

function request()
  local number = sent
  sent = sent + 1
  local parts = turns[number % #turns + 1]
  if #parts == 1 then
    return parts[1]
  end
  local texts = {}
  for i = 1, #parts do
    texts[i] = textOf(parts[i], number)
  end
  return table.concat(texts)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f,"nextRequest":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    threads[1]:get("sent")
  ))
end
