if vim.g.loaded_quantcfg then
  return
end
vim.g.loaded_quantcfg = true

require('quantcfg').setup()
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'quantcfg',
  callback = function(event)
    require('quantcfg').attach(event.buf)
  end,
})
vim.api.nvim_create_user_command('QuantcfgEffective', function()
  require('quantcfg').show_effective()
end, { desc = 'The effective configuration of every layer' })
