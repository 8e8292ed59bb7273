" The language server as a linter of ALE.
call ale#Set('quantcfg_executable', 'quantcfg')

" The folder with .git, as on the command line, else that of the file.
function! s:root(buffer) abort
    let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
    return fnamemodify(empty(l:git) ? bufname(a:buffer) : l:git, empty(l:git) ? ':p:h' : ':p:h:h')
endfunction

call ale#linter#Define('quantcfg', {
\   'name': 'quantcfg',
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'quantcfg_executable')},
\   'command': '%e lsp',
\   'project_root': function('s:root'),
\})
