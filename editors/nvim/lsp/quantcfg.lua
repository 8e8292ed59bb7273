-- For vim.lsp.enable('quantcfg'), Neovim 0.11 and newer. It stands alone: the rest of the plugin is not needed.
return {
  cmd = { 'quantcfg', 'lsp' },
  filetypes = { 'quantcfg' },
  root_markers = { 'quantcfg.toml', '.git' },
  before_init = function(params)
    -- Messages in the user's language; Neovim itself does not say which that is.
    params.locale = vim.env.LC_ALL or vim.env.LC_MESSAGES or vim.env.LANG
  end,
}
