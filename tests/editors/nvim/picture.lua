-- Arranges the screen for the README's picture and leaves a file `ready` when all is to be seen.
vim.o.termguicolors = true
vim.o.laststatus = 0
vim.o.number = true
vim.o.signcolumn = 'no'
vim.o.ruler = false
vim.cmd('colorscheme habamax')
for group, colour in pairs({
  LspCodeLens = { fg = '#7f9f7f', italic = true },
  FloatBorder = { fg = '#8787af', bg = '#262626' },
  NormalFloat = { fg = '#dadada', bg = '#262626' },
  DiagnosticVirtualTextWarn = { fg = '#d7af5f' },
}) do
  vim.api.nvim_set_hl(0, group, colour)
end
vim.diagnostic.config({ virtual_text = { severity = { min = vim.diagnostic.severity.WARN } }, signs = false, underline = true })
vim.cmd([[syntax match Comment /#.*/ | syntax match String /"[^"]*"/ | syntax match Number /-\?\d\+\.\d\+/
  syntax keyword Boolean true false | syntax match Identifier /\w\+\ze *:/]])

vim.schedule(function()
  vim.wait(5000, function() return #vim.diagnostic.get(0) > 0 end, 10)
  vim.lsp.codelens.refresh()
  vim.wait(5000, function() return #vim.lsp.codelens.get(vim.api.nvim_get_current_buf()) > 0 end, 10)
  vim.fn.cursor(36, 20)
  vim.lsp.buf.hover({ border = 'rounded', max_width = 84, close_events = {}, anchor_bias = 'below' })
  vim.wait(5000, function() return #vim.api.nvim_list_wins() > 1 end, 10)
  vim.cmd('redraw!')
  io.open('ready', 'w'):close()
end)
