" What a user of Vim with ALE sees on the documented sample.
let s:lines = []
let s:failed = 0
function! s:check(name, good, ...) abort
  let s:failed += a:good ? 0 : 1
  call add(s:lines, (a:good ? 'ok ' : 'FAIL ') . a:name . (a:good || !a:0 ? '' : '  ' . string(a:1)))
endfunction
function! s:wait(condition) abort
  for l:_ in range(500)
    if a:condition()
      return 1
    endif
    sleep 20m
  endfor
  return 0
endfunction
function! s:findings(types) abort
  return filter(copy(ale#engine#GetLoclist(bufnr(''))), {_, found -> a:types =~# found.type})
endfunction
function! s:main() abort
  edit a.quant.cfg
  call s:check('a.quant.cfg has its file type', &filetype ==# 'quantcfg', &filetype)
  edit other.cfg
  call s:check('other.cfg does not', &filetype !=# 'quantcfg', &filetype)
  edit quant.cfg
  call s:check('quant.cfg has its file type', &filetype ==# 'quantcfg', &filetype)
  call s:check('comments are known', &commentstring ==# '# %s', &commentstring)
  call search('clip_max_min')
  call s:check('the text is coloured', synIDattr(synID(line('.'), col('.'), 1), 'name') ==# 'quantcfgName')

  ALELint
  call s:check('the sample has findings', s:wait({-> s:findings('WI') != []}), ale#engine#GetLoclist(bufnr('')))
  call s:check('and no error', s:findings('E') == [], s:findings('E'))

  call append(0, ['# 量化参数 😀 é', 'skip_layers: "层😀1" skip_layerz: "a" # 跳过'])
  call ale#Queue(0)
  call s:check('an unknown field is an error', s:wait({-> len(s:findings('E')) == 1}), s:findings('EWI'))
  let l:found = get(s:findings('E'), 0, {'lnum': 0, 'col': 1})
  call s:check('in its line', l:found.lnum == 2, l:found)
  " ALE counts characters where Vim counts bytes, and an emoji as the two units that the server speaks of.
  call s:check('at its column', l:found.col == strchars('skip_layers: "层😀1" ') + 2, l:found)
  call setline(2, '#')
  call ale#Queue(0)
  call s:check('without it there is no error', s:wait({-> s:findings('E') == []}), s:findings('E'))

  call search('clip_max_min')
  ALEHover
  call s:check('hover tells the documented meaning', s:wait({-> s:preview() =~# 'IFMR'}), s:preview())

  call append('$', 'override_layer_conf')
  call cursor(line('$'), 1)
  call feedkeys("A\<C-x>\<C-o>\<C-r>=Completed()\<CR>\<Esc>", 'xt')
  call s:check('completion offers a field', s:completed =~# 'override_layer_configs', s:completed)
endfunction
let s:completed = ''
function! Completed() abort
  call s:wait({-> pumvisible()})
  let s:completed = string(map(complete_info(['items']).items, 'v:val.word')) . getline('.')
  return ''
endfunction
function! s:preview() abort
  return join(map(filter(range(1, winnr('$')), 'getwinvar(v:val, "&previewwindow")'), 'join(getbufline(winbufnr(v:val), 1, "$"), "\n")'), "\n")
endfunction

try
  call s:main()
catch
  call s:check('no fault in the test', 0, v:exception . ' ' . v:throwpoint)
endtry
call add(s:lines, 'all checks ran')
call writefile(s:lines, $QUANTCFG_LOG)
execute s:failed ? 'cquit!' : 'qall!'
