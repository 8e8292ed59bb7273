-- Starts the server for Neovim 0.7 and newer, keeps code lenses fresh, and shows the effective configuration.
--
-- vim.g.quantcfg = { cmd = { '/path/to/quantcfg', 'lsp' }, settings = { language = 'en' }, lenses = false }
local M = {}

local function options()
  return vim.g.quantcfg or {}
end

local function definition()
  local found = vim.api.nvim_get_runtime_file('lsp/quantcfg.lua', false)[1]
  local config = dofile(found)
  config.cmd = options().cmd or config.cmd
  config.settings = { quantcfg = options().settings or vim.empty_dict() }
  return config
end

--- The client of a buffer, or nil.
function M.client(buffer)
  local list = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(list) do
    if client.name == 'quantcfg' then
      return client
    end
  end
end

-- The nearest folder at or above a file that holds one of `markers`, else its own.
local function root_of(file, markers)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  local best = folder
  for _, marker in ipairs(markers) do
    local found = vim.fn.finddir(marker, folder .. ';')
    found = found ~= '' and found or vim.fn.findfile(marker, folder .. ';')
    if found ~= '' then
      best = vim.fn.fnamemodify(found:gsub('/$', ''), ':p'):gsub('/$', '')
      return vim.fn.fnamemodify(best, ':h')
    end
  end
  return best
end

local started = {}

-- What vim.lsp.enable does for newer versions.
local function start(buffer)
  local config = definition()
  config.name = 'quantcfg'
  config.root_dir = root_of(vim.api.nvim_buf_get_name(buffer), config.root_markers)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  -- Every version takes snippets when completion is asked for by a plugin; 0.7 does not say so of itself.
  capabilities.textDocument.completion.completionItem.snippetSupport = true
  config.capabilities = capabilities
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  local id = started[config.root_dir]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client(config)
    started[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

local function refresh_lenses(buffer)
  if options().lenses == false or buffer ~= vim.api.nvim_get_current_buf() or not M.client(buffer) then
    return
  end
  vim.lsp.codelens.refresh(vim.fn.has('nvim-0.10') == 1 and { bufnr = buffer } or nil)
end

--- Shows the effective configuration of every layer in a window beside the current one.
function M.show_effective()
  local buffer = vim.api.nvim_get_current_buf()
  local client = M.client(buffer)
  if not client then
    vim.notify('quantcfg does not serve this buffer; :checkhealth quantcfg may tell why', vim.log.levels.WARN)
    return
  end
  local shown = client.config.capabilities and client.config.capabilities.window.showDocument
  local params = { command = 'quantcfg.showEffective', arguments = { vim.uri_from_bufnr(buffer) } }
  client.request('workspace/executeCommand', params, function(fault, page)
    if fault then
      vim.notify(fault.message, vim.log.levels.ERROR)
    elseif type(page) == 'string' and not (shown and shown.support) then
      vim.cmd('botright vnew')
      local view = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_lines(view, 0, -1, true, vim.split(page, '\n'))
      vim.bo[view].buftype, vim.bo[view].bufhidden, vim.bo[view].modifiable = 'nofile', 'wipe', false
      vim.bo[view].filetype = 'markdown'
      vim.wo.wrap = false
    end
  end, buffer)
end

--- Called by the plugin for a buffer of the file type.
function M.attach(buffer)
  if not vim.lsp.enable then
    start(buffer)
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'CursorHold' }, {
    buffer = buffer,
    callback = function()
      refresh_lenses(buffer)
    end,
  })
  -- The first time they are there as soon as the server is.
  local tries = 0
  local function first()
    tries = tries + 1
    local client = vim.api.nvim_buf_is_valid(buffer) and M.client(buffer)
    if client and client.initialized then
      refresh_lenses(buffer)
    elseif tries < 100 and vim.api.nvim_buf_is_valid(buffer) then
      vim.defer_fn(first, 50)
    end
  end
  first()
end

--- Called by the plugin once.
function M.setup()
  if vim.lsp.enable then
    vim.lsp.config('quantcfg', definition())
    vim.lsp.enable('quantcfg')
  end
  vim.lsp.commands = vim.lsp.commands or {}
  vim.lsp.commands['quantcfg.showEffective'] = M.show_effective
end

return M
