// The page of the effective configuration. Knows nothing of the editor but the messages in protocol.ts.
import { stateOf, type Effective, type FromPage, type Labels, type Layer, type State, type ToPage } from '../protocol';

interface Editor {
  postMessage(message: FromPage): void;
  getState(): Order | undefined;
  setState(order: Order): void;
}
declare function acquireVsCodeApi(): Editor;

interface Order {
  column: number | undefined;
  descending: boolean;
}

const editor = acquireVsCodeApi();
const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const filter = element<HTMLInputElement>('filter');
const state = element<HTMLSelectElement>('state');

/** Without a column: in the order of the network. */
let order: Order = editor.getState() ?? { column: undefined, descending: false };
let effective: Effective | null = null;
let labels: Labels | undefined;
let underCursor = new Set<number>();
let rows: HTMLTableRowElement[] = [];

function make(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** `{"a": {"b": 1}}` as `a.b: 1`, one entry each. */
function flat(value: unknown, prefix = ''): string[] {
  if (value === null || typeof value !== 'object') return [prefix ? `${prefix}: ${value}` : String(value)];
  if (Array.isArray(value)) return [`${prefix}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, prefix ? `${prefix}.${key}` : key));
}

function assumption(layer: Layer): string {
  return typeof layer.certainty === 'object' ? layer.certainty.assumed : '';
}

/** The texts of a row, by which it is sorted and filtered. */
function texts(layer: Layer, labels: Labels): string[] {
  return [
    layer.name,
    layer.type ?? '?',
    labels.states[stateOf(layer)],
    layer.source,
    flat(layer.values).join('\n'),
    layer.because.map((reason) => reason.message).join('\n'),
  ];
}

function rowOf(layer: Layer, index: number, labels: Labels): HTMLTableRowElement {
  const row = document.createElement('tr');
  row.className = stateOf(layer);
  row.dataset.text = texts(layer, labels).join('\n').toLowerCase();
  row.addEventListener('click', () => editor.postMessage({ kind: 'reveal', layer: index }));
  const [name, type, state, source] = texts(layer, labels);
  row.append(make('td', name, 'name'), make('td', type), make('td', state, 'state'), make('td', source));
  row.title = assumption(layer);
  if (row.title) row.classList.add('assumed');
  const values = document.createElement('td');
  values.append(...flat(layer.values).map((text) => make('div', text, 'value')));
  const because = document.createElement('td');
  layer.because.forEach((reason, number) => {
    const line = make('div', reason.message, reason.range ? 'reason link' : 'reason');
    if (reason.range) line.append(make('span', ` :${reason.range.start.line}`, 'line'));
    line.addEventListener('click', (event) => {
      event.stopPropagation();
      editor.postMessage({ kind: 'reveal', layer: index, reason: number });
    });
    because.append(line);
  });
  row.append(values, because);
  return row;
}

function drawHead(labels: Labels): void {
  const cells = labels.columns.map((label, column) => {
    const arrow = column !== order.column ? '' : order.descending ? ' ▼' : ' ▲';
    const cell = make('th', label + arrow);
    cell.addEventListener('click', () => {
      // Up, down, and back to the order of the network.
      if (order.column !== column) order = { column, descending: false };
      else if (!order.descending) order = { column, descending: true };
      else order = { column: undefined, descending: false };
      editor.setState(order);
      drawHead(labels);
      arrange();
    });
    return cell;
  });
  element('head').replaceChildren(...cells);
}

/** Puts the rows in order and hides what the filter leaves out. */
function arrange(): void {
  if (!effective || !labels) {
    element('rows').replaceChildren();
    element('count').textContent = '';
    return;
  }
  const { column, descending } = order;
  const indices = rows.map((_, index) => index);
  if (column !== undefined) {
    const keys = effective.layers.map((layer) => texts(layer, labels!)[column]);
    const collator = new Intl.Collator(undefined, { numeric: true });
    indices.sort((a, b) => collator.compare(keys[a], keys[b]) * (descending ? -1 : 1));
  }
  element('rows').replaceChildren(...indices.map((index) => rows[index]));
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, index) => {
    const fits = words.every((word) => row.dataset.text?.includes(word));
    row.hidden = !fits || (state.value !== '' && state.value !== stateOf(effective!.layers[index]));
    if (!row.hidden) shown += 1;
  });
  element('count').textContent = `${shown} / ${rows.length}`;
}

function drawNotes(labels: Labels): void {
  const notes: HTMLElement[] = [];
  if (!effective) notes.push(make('p', labels.none));
  if (effective?.error) {
    notes.push(make('p', `${labels.refused}: ${effective.error.type}: ${effective.error.message}`, 'refused'));
  }
  effective?.warnings.forEach((warning) => notes.push(make('p', `${labels.warnings}: ${warning}`, 'warning')));
  element('notes').replaceChildren(...notes);
}

function drawStates(labels: Labels): void {
  const chosen = state.value;
  const options = [new Option(labels.all, ''), ...Object.entries(labels.states).map(([key, text]) => new Option(text, key as State))];
  state.replaceChildren(...options);
  state.value = chosen;
  filter.placeholder = labels.filter;
}

function markCursor(): void {
  rows.forEach((row, index) => row.classList.toggle('cursor', underCursor.has(index)));
  rows.find((row) => row.classList.contains('cursor') && !row.hidden)?.scrollIntoView({ block: 'nearest' });
}

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === 'cursor') {
    underCursor = new Set(data.layers);
  } else {
    effective = data.effective;
    labels = data.labels;
    rows = (effective?.layers ?? []).map((layer, index) => rowOf(layer, index, data.labels));
    drawHead(labels);
    drawStates(labels);
    drawNotes(labels);
    arrange();
  }
  markCursor();
});
filter.addEventListener('input', arrange);
state.addEventListener('change', arrange);
editor.postMessage({ kind: 'ready' });
