-- Tells lokid which files are opened and saved, and shows what it remembers.
-- Everything goes over the daemon's socket and never waits for it; without a daemon nothing happens.
local M = {}
local uv = vim.uv or vim.loop

-- A file counts as opened when it is still the current one after this long.
local SETTLE_MS = 200
-- How long the last words may take when the editor is closed.
local LAST_WORDS_MS = 50
-- Nobody waits for an answer, but a connection must not stay open for ever.
local PATIENCE_MS = 5000

local opened, last_opened -- the file about to be told, and the one told last
local saved = {} -- files to be told as edited
local timer
local open_requests = 0
local wants_statusline = false

--- Where the daemon listens: the same answer as `lokid socket` gives, but for `[server] socket` in its configuration.
function M.socket()
  local function absolute(name)
    local value = os.getenv(name)
    return value and value:sub(1, 1) == "/" and value or nil
  end
  local chosen = vim.g.lokid_socket or os.getenv("LOKID_SOCKET")
  if chosen and chosen ~= "" then
    return chosen
  end
  local home = os.getenv("HOME") or ""
  if uv.os_uname().sysname == "Darwin" then
    return home .. "/Library/Application Support/lokid/lokid.sock"
  end
  local base = absolute("XDG_RUNTIME_DIR") or absolute("XDG_STATE_HOME") or (home .. "/.local/state")
  return base .. "/lokid/lokid.sock"
end

--- Sends a request; `on_answer(status, body)` gets the decoded body, or nil and nil when nobody is there.
function M.request(path, body, on_answer)
  local pipe = uv.new_pipe(false)
  if not pipe then
    return
  end
  local watchdog = uv.new_timer()
  local parts, is_over = {}, false
  open_requests = open_requests + 1
  local function finish(heard)
    if is_over then
      return
    end
    is_over = true
    open_requests = open_requests - 1
    watchdog:close()
    pipe:close()
    local text = heard and table.concat(parts) or ""
    local status = tonumber(text:match("^HTTP/1%.%d (%d%d%d)"))
    if on_answer then
      vim.schedule(function()
        local ok, decoded = pcall(vim.json.decode, text:match("\r\n\r\n(.*)$") or "")
        on_answer(status, ok and decoded or nil)
      end)
    end
  end
  watchdog:start(PATIENCE_MS, 0, function()
    finish(false)
  end)
  local text = vim.json.encode(body)
  local head = "POST /v1%s HTTP/1.1\r\nHost: lokid\r\nConnection: close\r\n"
    .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
  local ok = pcall(pipe.connect, pipe, M.socket(), function(missing)
    if missing or is_over then
      return finish(false)
    end
    pipe:read_start(function(failed, chunk)
      if chunk and not failed then
        parts[#parts + 1] = chunk
      else
        finish(not failed)
      end
    end)
    pipe:write(head:format(path, #text) .. text)
  end)
  if not ok then
    finish(false)
  end
end

--- The file a buffer shows, under its real name; nil for everything that is none.
local function file_of(buffer)
  if not vim.api.nvim_buf_is_valid(buffer) or vim.bo[buffer].buftype ~= "" then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == "" or name:match("^%a[%w+.-]*://") then
    return nil
  end
  name = vim.fn.fnamemodify(name, ":p")
  return uv.fs_realpath(name) or name
end

local function count_memories(path)
  M.request("/context/predict", { project = path, file_opened = path, k = 20 }, function(status, answer)
    M.known = status == 200 and answer and { path = path, count = #(answer.predicted_memories or {}) } or nil
    pcall(vim.cmd, "redrawstatus")
  end)
end

local function tell()
  if timer then
    timer:stop()
  end
  for path in pairs(saved) do
    M.request("/signals", { project = path, type = "file_edited", path = path })
  end
  saved = {}
  local path = opened
  opened = nil
  if path and path ~= last_opened then
    last_opened = path
    M.request("/signals", { project = path, type = "file_opened", path = path }, function(status)
      if status == nil then
        M.known, last_opened = nil, nil
      elseif wants_statusline then
        count_memories(path)
      end
    end)
  end
end

local function tell_soon()
  timer = timer or uv.new_timer()
  timer:start(SETTLE_MS, 0, vim.schedule_wrap(tell))
end

function M.opened(buffer)
  local path = file_of(buffer)
  if path then
    opened = path
    tell_soon()
  end
end

function M.saved(buffer)
  local path = file_of(buffer)
  if path then
    saved[path] = true
    tell_soon()
  end
end

--- What was saved just before the end is still told.
function M.leave()
  if next(saved) then
    opened = nil
    tell()
    vim.wait(LAST_WORDS_MS, function()
      return open_requests == 0
    end, 1)
  end
end

--- For the statusline: `%{v:lua.require'lokid'.statusline()}`. Empty without a daemon.
function M.statusline()
  wants_statusline = true
  local known = M.known
  if not known or known.path ~= last_opened then
    return ""
  end
  return "lokid " .. known.count
end

local function show(title, text)
  local lines = vim.split(text, "\n", { plain = true })
  vim.cmd("botright new")
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile, vim.bo.filetype = "nofile", "wipe", false, "markdown"
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.modifiable = false
  pcall(vim.api.nvim_buf_set_name, 0, title .. " " .. vim.api.nvim_get_current_buf())
end

local function ask(path, body, title, words)
  local file = file_of(vim.api.nvim_get_current_buf())
  body.project = file or vim.fn.getcwd()
  M.request(path, body, function(status, answer)
    if status == 200 and answer then
      show(title, words(answer))
    else
      -- Somebody asked, so somebody is told.
      local why = status and answer and answer.detail or "no daemon answers; `lokid run` starts one"
      vim.api.nvim_echo({ { "lokid: " .. why, "WarningMsg" } }, true, {})
    end
  end)
end

function M.context()
  local file = file_of(vim.api.nvim_get_current_buf())
  local signals = file and { current_file = file } or vim.empty_dict()
  ask("/context/assemble", { budget = 4000, signals = signals }, "lokid://context", function(answer)
    return answer.context or ""
  end)
end

function M.recall(query)
  ask("/recall", { query = query, k = 10 }, "lokid://recall", function(answer)
    local lines = {}
    for _, found in ipairs(answer.results or {}) do
      lines[#lines + 1] = ("## %s · %s\n%s\n"):format(found.id, found.kind, found.summary or found.title or "")
    end
    return #lines > 0 and table.concat(lines, "\n") or "Nothing is remembered about that."
  end)
end

return M
