-- A user's configuration: the plugin as it is shipped, and the server that was just built.
vim.opt.swapfile = false
vim.opt.shadafile = 'NONE'
vim.opt.hidden = true
vim.opt.runtimepath:prepend(vim.env.QUANTCFG_PLUGIN)
vim.g.quantcfg = { cmd = { vim.env.QUANTCFG, 'lsp' } }
