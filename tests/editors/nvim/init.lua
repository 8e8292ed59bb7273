-- Starts the server for quant.cfg, in a way that Neovim 0.7 to 0.11 understand.
vim.opt.swapfile = false
vim.opt.shadafile = 'NONE'
vim.opt.hidden = true
vim.cmd([[autocmd BufRead,BufNewFile quant.cfg set filetype=quantcfg]])

local capabilities = vim.lsp.protocol.make_client_capabilities()
-- 0.7 does not offer snippets of itself, though it takes them.
capabilities.textDocument.completion.completionItem.snippetSupport = true

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'quantcfg',
  callback = function(args)
    local id = vim.lsp.start_client({
      name = 'quantcfg',
      cmd = { vim.env.QUANTCFG, 'lsp' },
      root_dir = vim.fn.getcwd(),
      flags = { allow_incremental_sync = true, debounce_text_changes = 10 },
      capabilities = capabilities,
      before_init = function(params)
        params.locale = vim.env.TEST_LOCALE
      end,
    })
    vim.lsp.buf_attach_client(args.buf, id)
    vim.g.client = id
  end,
})
