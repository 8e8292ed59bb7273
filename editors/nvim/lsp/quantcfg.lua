-- Neovim 0.11: put this file into ~/.config/nvim/lsp/ and call vim.lsp.enable('quantcfg').
return {
  cmd = { 'quantcfg', 'lsp' },
  filetypes = { 'quantcfg' },
  root_markers = { '.git' },
}
