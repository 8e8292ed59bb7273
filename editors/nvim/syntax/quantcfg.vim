" Protobuf text format.
if exists('b:current_syntax')
  finish
endif
syntax match quantcfgName /\h\w*\ze\_s*[:{<]/
syntax match quantcfgNumber /-\=\<\d[0-9a-zA-Z_.]*\%([eE][-+]\d\+f\=\)\=/
syntax keyword quantcfgConstant true false True False t f inf nan
syntax region quantcfgString start=/"/ skip=/\\./ end=/"/ oneline contains=quantcfgEscape,@Spell
syntax region quantcfgString start=/'/ skip=/\\./ end=/'/ oneline contains=quantcfgEscape,@Spell
syntax match quantcfgEscape /\\\%(\o\{1,3}\|x\x\{1,2}\|u\x\{4}\|U\x\{8}\|.\)/ contained
syntax match quantcfgComment /#.*/ contains=quantcfgHeader,@Spell
syntax match quantcfgHeader /# *\zs\%(quantcfg-[a-z-]\+\|proto-file\|proto-message\)\ze:\=/ contained
highlight default link quantcfgName Identifier
highlight default link quantcfgNumber Number
highlight default link quantcfgConstant Boolean
highlight default link quantcfgString String
highlight default link quantcfgEscape SpecialChar
highlight default link quantcfgComment Comment
highlight default link quantcfgHeader SpecialComment
let b:current_syntax = 'quantcfg'
