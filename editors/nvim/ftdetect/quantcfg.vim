" Neither Vim nor Neovim has a file type for these; the .cfg of others stays what it is.
autocmd BufRead,BufNewFile quant.cfg,*.quant.cfg set filetype=quantcfg
