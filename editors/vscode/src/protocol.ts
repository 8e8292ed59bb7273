// What the server sends beyond the language server protocol. No editor types here: the table's page uses these, too.

/** `quantcfg/status` */
export interface Status {
  uri: string;
  schema: string | null;
  entry: string | null;
  why: string | null;
  layers: { path: string; count: number; complete: boolean } | null;
}

/** Lines and columns (code points) from 1. */
export interface Place {
  line: number;
  column: number;
}

export interface Reason {
  message: string;
  range: { start: Place; end: Place } | null;
}

/** A layer of the effective configuration; keys that a dialect does not have are absent. */
export interface Layer {
  name: string;
  type: string | null;
  enabled: boolean;
  source: string;
  skip_by_name?: boolean;
  skip_by_type?: boolean;
  values: unknown;
  because: Reason[];
  certainty?: 'known' | { assumed: string };
}

/** `quantcfg/effective` */
export interface Effective {
  schema: string | null;
  entry: string | null;
  layers: Layer[];
  warnings: string[];
  error: { type: string; message: string } | null;
}

/** What the page of the table is told. */
export type ToPage =
  | { kind: 'show'; effective: Effective | null; labels: Labels }
  | { kind: 'cursor'; layers: number[] };

/** What the page asks for: show this reason of this layer in the text. */
export interface FromPage {
  kind: 'ready' | 'reveal';
  layer?: number;
  reason?: number;
}

/** The words of the page in the language of the editor. */
export interface Labels {
  columns: [string, string, string, string, string, string];
  states: Record<State, string>;
  filter: string;
  all: string;
  none: string;
  refused: string;
  warnings: string;
}

export type State = 'on' | 'overridden' | 'off';

/** `overridden`: on although a skip list names the layer. */
export function stateOf(layer: Layer): State {
  if (!layer.enabled) return 'off';
  return layer.skip_by_name || layer.skip_by_type ? 'overridden' : 'on';
}
