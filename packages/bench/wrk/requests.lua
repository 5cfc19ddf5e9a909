-- Sends the requests of a file, one after the other, over and over: whole HTTP/1.1 messages, divided by zero bytes.
local requests, position = {}, 0

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for message in file:read('*a'):gmatch('[^%z]+') do requests[#requests + 1] = message end
  file:close()
end

function request()
  position = position % #requests + 1
  return requests[position]
end

-- Microseconds. `errors.status` counts answers above 399; the first answers were seen to be 2xx before.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"failures":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
