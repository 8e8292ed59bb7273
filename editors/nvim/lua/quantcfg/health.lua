-- :checkhealth quantcfg
local M = {}

function M.check()
  -- The names of before 0.10.
  local health = vim.health or require('health')
  local heading, good = health.start or health.report_start, health.ok or health.report_ok
  local bad, note = health.error or health.report_error, health.info or health.report_info
  heading('quantcfg')
  local command = (vim.g.quantcfg or {}).cmd or { 'quantcfg', 'lsp' }
  if vim.fn.executable(command[1]) == 0 then
    bad('`' .. command[1] .. '` is not to be found', {
      'Install it: `cargo install --path .` in a clone of quantcfg',
      'or name it: `vim.g.quantcfg = { cmd = { "/path/to/quantcfg", "lsp" } }`',
    })
    return
  end
  good(vim.fn.exepath(command[1]) .. ', ' .. vim.trim(vim.fn.system({ command[1], '--version' })))
  local served = 0
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and require('quantcfg').client(buffer) then
      served = served + 1
    end
  end
  note(served .. ' buffers are served; files named quant.cfg or *.quant.cfg are, or after `:set filetype=quantcfg`')
end

return M
