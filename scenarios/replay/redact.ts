import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { marksBy } from '../../actors/secrets/known-secrets.ts';
import { canonical, revived } from '../../machines/trace/canonical.ts';
import { Hiding } from '../../machines/secrets/redaction.ts';
import { readTrace, textOfLine } from '../../machines/trace/reading.ts';
import { shortText } from '../../machines/trace/channels.ts';
import { sha256Of } from './report/files.ts';

/** Values to hide in a trace, and where to write the result. */
export interface RedactOptions {
  /**
   * Paths of values in a line of the trace: keys and list positions joined by dots, `*` for any, such as `ev.arguments.pin` or
   * `ev.result.content.*.text`. All texts and numbers there are hidden, and so are their other occurrences: those of six or more
   * characters in any text, shorter ones under the same key.
   */
  readonly paths?: readonly string[];
  /** Texts that are hidden wherever they occur. */
  readonly values?: readonly string[];
  /** Path of the new file, compressed when it ends with `.gz`. By default `NAME.redacted.trace.ndjson` beside the old file. */
  readonly out?: string;
  /** Overwrites the original file instead; false by default. */
  readonly inPlace?: boolean;
  /**
   * Key for the replacement texts: with the same key, two traces replace the same value by the same text. By default a random key
   * that is not saved.
   */
  readonly key?: string;
}
/** Result of `redact`. */
export interface Redacted {
  /** Path of the new file; empty when none was written because something matched nothing. */
  readonly file: string;
  /** Number of texts, numbers, keys and channel names that were hidden. */
  readonly places: number;
  /** Paths and values that matched nothing. */
  readonly unmatched: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;
/** They describe the record itself and are never hidden. */
const structure = new Set([
  's',
  't',
  'w',
  'k',
  'n',
  'via',
  'port',
  'dir',
  'op',
  'dead',
  'why',
  'cut',
  'left',
]);
/** `ask METHOD of TARGET PARAMETERS`, without its number. */
const question = /^(ask \S+ of (?:(?! [[{"]).)*)(?: (.*))?$/s;
const numbered = /^(.*?)(\/\d+)?$/s;

class TraceRedaction {
  readonly #hiding: Hiding;
  readonly #hashes = new Map<string, string>();
  readonly #lists = new Map<string, readonly unknown[]>();
  readonly #asked = new Map<string, unknown>();
  readonly #names = new Map<string, string>();

  constructor(hiding: Hiding) {
    this.#hiding = hiding;
  }
  /** Before any line is written: in a trace that opens with facts a name may appear before its question. */
  learn({ k, ch, ev }: Row): void {
    const { method, params } = (ev ?? {}) as Row;
    if (k !== 'out' || typeof ch !== 'string' || params === undefined) return;
    if (ch.startsWith(`ask ${String(method)} `)) this.#asked.set(ch.replace(numbered, '$1'), params);
  }
  line(row: Row): Row {
    const { k, h } = row;
    const next = Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, this.#field(key, value)]),
    );
    if (k !== 'list') return next;
    const hash = sha256Of([JSON.stringify(next['v'])]).slice(0, 16);
    this.#hashes.set(h as string, hash);
    this.#lists.set(hash, revived(next['v'], this.#lists) as unknown[]);
    return { ...next, h: hash };
  }
  text(text: string): string {
    return this.#hiding.text(text, '');
  }
  #field(key: string, value: unknown): unknown {
    if (structure.has(key) || key === 'h') return value;
    if (key === 'ch' || key === 'of') return this.#channel(value as string);
    if (key === 'ev')
      return Object.fromEntries(
        Object.entries(value as Row).map(([name, each]) => [
          name,
          name === 'type' ? each : this.#value(each, name),
        ]),
      );
    // Treats a list of events with channels as facts.
    if (Array.isArray(value) && value.every((each) => typeof (each as Row | null)?.['ch'] === 'string'))
      return value.map((each) =>
        Object.fromEntries(
          Object.entries(each as Row).map(([name, inner]) => [name, this.#field(name, inner)]),
        ),
      );
    return this.#value(value, key);
  }
  #value(value: unknown, key: string): unknown {
    return this.#listed(this.#hiding.value(value, key));
  }
  #listed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#listed(each));
    if (typeof value !== 'object' || value === null) return value;
    const { $list } = value as Row;
    if (typeof $list === 'string' && Object.keys(value).length === 1)
      return { $list: this.#hashes.get($list) ?? $list };
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#listed(each)]));
  }
  #channel(ch: string): string {
    const [, base = ch, number = ''] = numbered.exec(ch) ?? [];
    const known = this.#names.get(base) ?? this.#named(base);
    this.#names.set(base, known);
    return known + number;
  }
  #named(base: string): string {
    const [, start, about] = question.exec(base) ?? [];
    if (start === undefined || about === undefined) return this.text(base);
    const params = this.#asked.get(base) ?? parsed(about);
    // The hidden value could be guessed from the hash; the answer of such a question then matches nothing.
    if (params === undefined) return this.text(base.replace(/…-?[0-9a-f]+$/, '…'));
    const hidden = canonical(revived(this.#value(params, ''), this.#lists));
    return `${this.text(start)} ${shortText(hidden)}`;
  }
}
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** It stays a valid trace. Throws when it cannot be read. */
export function redactedText(
  text: string,
  { paths = [], values = [], key }: RedactOptions,
): { readonly text: string; readonly places: number; readonly unmatched: readonly string[] } {
  const read = readTrace(text, sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  const rows = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const lines = rows
    .flatMap((row) => (row === '' ? [] : [parsed(row) as Row | undefined]))
    .filter((row) => row !== undefined);
  const hiding = new Hiding(values, marksBy(key));
  const lists = new Map(lines.flatMap(({ k, h, v }) => (k === 'list' ? [[h as string, v] as const] : [])));
  const inside = lines.filter(({ k }) => k !== 'head' && k !== 'tail');
  const missed = paths.filter((path) => {
    const steps = path.split('.');
    const found = inside.map((row) => hiding.at(row, steps, (h) => lists.get(h)));
    return !found.includes(true);
  });
  const absent = values.filter((value) => {
    const alone = new Hiding([value], () => '');
    for (const row of inside) alone.value(row);
    return alone.places === 0;
  });
  const redaction = new TraceRedaction(hiding);
  for (const row of inside) redaction.learn(row);
  const texts: string[] = [];
  const written = lines.map((row) => {
    const { k } = row;
    if (k === 'head')
      return JSON.stringify({
        ...row,
        ...('title' in row && { title: redaction.text(String(row['title'])) }),
      });
    if (k === 'tail')
      return JSON.stringify({
        ...row,
        reason: redaction.text(String(row['reason'])),
        digest: sha256Of(texts),
      });
    const line = JSON.stringify(redaction.line(row));
    texts.push(textOfLine(line));
    return line;
  });
  return { text: `${written.join('\n')}\n`, places: hiding.places, unmatched: [...missed, ...absent] };
}

const suffix = /(\.trace\.ndjson)?(\.gz)?$/;
/**
 * Writes a copy of a trace in which values are hidden; equal values are replaced by equal texts, and the copy is valid and
 * replays like the original. Throws an `Error` when the file is not a trace, or cannot be read or written. Writes nothing when a
 * path or a value matches nothing.
 * @example
 * const { file } = redact('acme.trace.ndjson', { paths: ['ev.arguments.pin'], values: ['ACME'] });
 */
export function redact(file: string, options: RedactOptions): Redacted {
  const bytes = readFileSync(file);
  const before = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const { text, places, unmatched } = redactedText(before, options);
  if (unmatched.length > 0) return { file: '', places: 0, unmatched };
  const read = readTrace(text, sha256Of);
  if (!read.ok) throw new Error(`a word of the format cannot be hidden: line ${read.line}: ${read.problem}`);
  const beside = file.replace(
    suffix,
    (_, _name, gz: string | undefined) => `.redacted.trace.ndjson${gz ?? ''}`,
  );
  const out = options.inPlace ? file : (options.out ?? beside);
  writeFileSync(`${out}.new`, out.endsWith('.gz') ? gzipSync(text) : text, { mode: 0o600 });
  renameSync(`${out}.new`, out);
  return { file: out, places, unmatched };
}
