# For ~/.config/kak/autoload/ (or `source` it in kakrc). Needs kak-lsp. Not tested here.
hook global BufCreate (.*/)?(quant|.*\.quant)\.cfg %{
    set-option buffer filetype quantcfg
}

hook global BufSetOption filetype=quantcfg %{
    set-option buffer comment_line '#'
    set-option buffer indentwidth 4
}

hook -group lsp-filetype-quantcfg global BufSetOption filetype=quantcfg %{
    set-option buffer lsp_servers %{
        [quantcfg]
        root_globs = ["quantcfg.toml", ".git"]
        command = "quantcfg"
        args = ["lsp"]
    }
}

hook global WinSetOption filetype=quantcfg %{
    lsp-enable-window
}

add-highlighter shared/quantcfg regions
add-highlighter shared/quantcfg/text default-region group
add-highlighter shared/quantcfg/comment region '#' '$' fill comment
add-highlighter shared/quantcfg/double region '"' (?<!\\)(\\\\)*("|$) fill string
add-highlighter shared/quantcfg/single region "'" (?<!\\)(\\\\)*('|$) fill string
add-highlighter shared/quantcfg/text/ regex '\b[A-Za-z_]\w*(?=\s*[:{<])' 0:variable
add-highlighter shared/quantcfg/text/ regex '-?\b\d[\w.]*\b' 0:value
add-highlighter shared/quantcfg/text/ regex '\b(true|false|True|False|inf|nan)\b' 0:value
hook -group quantcfg-highlight global WinSetOption filetype=quantcfg %{
    add-highlighter window/quantcfg ref quantcfg
    hook -once -always window WinSetOption filetype=.* %{ remove-highlighter window/quantcfg }
}
