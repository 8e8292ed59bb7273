-- What a user of Neovim sees on the documented sample.
local failed = 0
local function check(name, condition, seen)
  if not condition then
    failed = failed + 1
  end
  io.stdout:write((condition and 'ok ' or 'FAIL ') .. name .. (condition and '' or '  ' .. vim.inspect(seen)) .. '\n')
end
local function wait(condition)
  return vim.wait(10000, condition, 10)
end
local function client()
  return require('quantcfg').client(vim.api.nvim_get_current_buf())
end
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
  local _, answer = next(answers or {})
  return answer and answer.result
end
local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'xt', false)
end
local function line_of(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    if line:find(text, 1, true) then
      return number - 1, line
    end
  end
  error('no line holds ' .. text)
end
-- The cursor on the first byte of `text`, plus `by` bytes.
local function cursor(text, by)
  local number, line = line_of(text)
  vim.api.nvim_win_set_cursor(0, { number + 1, line:find(text, 1, true) - 1 + (by or 0) })
end
local function here()
  return vim.lsp.util.make_position_params(0, client().offset_encoding)
end
local function errors()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
end
local function code(diagnostic)
  return diagnostic.code or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code)
end
local function has_error(wanted, text)
  local number, line = line_of(text)
  for _, diagnostic in ipairs(errors()) do
    if code(diagnostic) == wanted and diagnostic.lnum == number and diagnostic.col == line:find(text, 1, true) - 1 then
      return true
    end
  end
  return false
end
local function labels()
  local answer = request('textDocument/completion', here())
  local found = {}
  for _, item in ipairs(answer and (answer.items or answer) or {}) do
    found[item.label] = item
  end
  return found
end
local function server_text()
  return request('quantcfg/test/text', { uri = vim.uri_from_bufnr(0) })
end
local function buffer_text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') .. '\n'
end

local function main()
  local chinese = vim.env.LANG:find('^zh') ~= nil
  check('the server starts', wait(function()
    return client() and client().initialized
  end))
  local encoding = client().offset_encoding
  check('the encoding is that of the editor', encoding == (vim.fn.has('nvim-0.11') == 1 and 'utf-8' or 'utf-16'), encoding)

  -- diagnostics
  check('the sample has findings', wait(function()
    return #vim.diagnostic.get(0) > 0
  end))
  check('and no error', #errors() == 0, errors())
  keys('Goskip_layerz: "a"<Esc>')
  check('an unknown field is an error at its name', wait(function()
    return #errors() == 1 and has_error('unknown-field', 'skip_layerz')
  end), errors())
  keys('u')
  check('undo takes it back', wait(function()
    return #errors() == 0
  end), errors())
  vim.cmd('%s/fixed_min: true/fixed_min: yes/')
  check('a wrong value is an error at the value', wait(function()
    return #errors() == 1 and has_error('wrong-value', 'yes')
  end), errors())
  keys('u')
  check('undo takes it back, too', wait(function()
    return #errors() == 0
  end), errors())

  -- completion
  cursor('fixed_min: true')
  keys('O<Esc>')
  local inside = labels()
  check('completion knows what is taken in the block', not inside.clip_max_min and not inside.fixed_min, inside)
  check('and does not offer what belongs elsewhere', not inside.skip_layers, inside)
  keys('u')
  cursor('fixed_min: true')
  keys('cc<Esc>')
  inside = labels()
  check('a field that is free is offered', inside.fixed_min and inside.fixed_min.detail == 'optional bool', inside)
  check('with its documentation', inside.fixed_min and inside.fixed_min.documentation.value:find('ReLU'), inside)
  keys('u')
  keys('Go<Esc>')
  local root = labels()
  check('at the top level the root fields are offered', root.skip_layers and root.override_layer_configs, root)
  check('a block opens as a snippet', root.override_layer_configs
    and root.override_layer_configs.insertTextFormat == 2
    and root.override_layer_configs.textEdit.newText:find('{\n', 1, true), root.override_layer_configs)
  keys('u')

  -- hover
  cursor('clip_max_min', 2)
  local hover = request('textDocument/hover', here())
  local text = hover and hover.contents.value or ''
  check('hover tells the documented meaning', text:find('IFMR') and text:find(chinese and '初始上下限' or 'clipping bounds'), text)
  vim.lsp.buf.hover()
  local float
  check('hover opens a window', wait(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        float = window
        return true
      end
    end
  end))
  if float then
    local lines = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, true), '\n')
    check('which shows it', lines:find('IFMR'), lines)
    vim.api.nvim_win_close(float, true)
  end

  -- code lens
  vim.lsp.codelens.refresh()
  local buffer = vim.api.nvim_get_current_buf()
  local function lens(number)
    for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
      if lens.range.start.line == number then
        return lens.command.title
      end
    end
    return ''
  end
  check('there is a lens at the top, over the global block, over each skip entry and over each override', wait(function()
    return #vim.lsp.codelens.get(buffer) == 6
  end), vim.lsp.codelens.get(buffer))
  check('the one at the top sums up', lens(0):find('mindspore-qat', 1, true) and lens(0):find('quant.layers.json', 1, true), lens(0))
  check('the one over the global block names what is left to it', lens((line_of('retrain_data_quant_config: {'))):find('^fc: '))
  local conv2 = lens((line_of('override_layer_configs')))
  check('the one over conv2 has its values', conv2 == 'conv2: ulq -3.0..3.0, channel_wise true', conv2)
  local types = lens((line_of('override_layer_types')))
  check('the one over the type names its layers', types:find('^conv1, conv3: '), types)
  check('lenses are on the screen', wait(function()
    for name, id in pairs(vim.api.nvim_get_namespaces()) do
      if name:find('codelens') and #vim.api.nvim_buf_get_extmarks(buffer, id, 0, -1, {}) == 6 then
        return true
      end
    end
  end))

  -- the whole table
  vim.cmd('QuantcfgEffective')
  check('the effective configuration is shown on request', wait(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local shown = vim.api.nvim_win_get_buf(window)
      local lines = table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, true), '\n')
      if shown ~= buffer and lines:find('| conv1 | nn.Conv2D |', 1, true) then
        return true
      end
    end
  end))
  vim.cmd('only')
  vim.api.nvim_set_current_buf(buffer)

  -- both sides hold the same text
  cursor('# global quantize parameter')
  keys('A 量化参数 😀 é<Esc>')
  keys('oskip_layers: "层😀1" # 跳过<Esc>')
  keys('yyGpkp')
  vim.cmd('%s/conv2/卷积😀2/g')
  keys('u')
  vim.cmd('%s/#/＃#/')
  keys('gg0dd')
  keys('ggOab<CR>cé́<Esc>')
  keys('ggVjJ')
  keys('u')
  check('server and buffer hold the same text after edits beyond ASCII', wait(function()
    local held = server_text()
    return held and held.text == buffer_text()
  end), { server_text(), buffer_text() })

  -- what else belongs to the plugin
  vim.cmd('checkhealth quantcfg')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  check('its health can be checked', health:find('quantcfg %d+%.%d+') and not health:find('ERROR'), health)
  for name, expected in pairs({ ['a.quant.cfg'] = 'quantcfg', ['other.cfg'] = 'cfg' }) do
    vim.cmd('edit! ' .. name)
    check(name .. ' has its file type', vim.bo.filetype == expected, vim.bo.filetype)
  end
  vim.api.nvim_set_current_buf(buffer)

  local id = client().id
  client().stop(false)
  check('the server stops', wait(function()
    local stopped = vim.lsp.get_client_by_id(id)
    return stopped == nil or stopped.is_stopped()
  end))
end

local good, fault = xpcall(main, debug.traceback)
check('no fault in the test', good, fault)
io.stdout:write('all checks ran\n')
io.stdout:flush()
vim.cmd(failed == 0 and 'qa!' or 'cquit! 1')
