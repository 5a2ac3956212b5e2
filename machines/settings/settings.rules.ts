import { mistakeLine, type Mistake } from '../config/mistake.ts';
import type { Edit } from '../config/json-edits.ts';
import { type Address, type AddressFor, post, type PortRequest, type Post } from '../kernel/effects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Fields } from '../protocol/json.ts';
import { isOfFuture } from './file-version.ts';

export const settingsPort = 'configFile';

interface SettingsStart {
  readonly file: string;
}
/** Answered once, by `settings.settled` with the same ticket. */
export interface SettingsChange {
  readonly type: 'settings.change';
  readonly ticket: string;
  readonly edits: readonly Edit[];
}
export interface FileChanged {
  readonly type: 'file.changed';
}
export type SettingsOrder = SettingsChange | FileChanged | { readonly type: 'close' };
/** `mark` is equal for equal text. */
export type FileFound =
  | { readonly kind: 'good'; readonly value: Fields; readonly mark: string; readonly isTaken?: boolean }
  | { readonly kind: 'wrong'; readonly mistakes: readonly Mistake[] }
  /** Blank, `{}` or only a beginning of the text in force: a change may overwrite it, nothing of value is lost. */
  | { readonly kind: 'emptied'; readonly mistakes: readonly Mistake[] }
  | { readonly kind: 'none' };
/** `restores`: a missing or emptied file is first filled with the config in force. */
export interface FileEdits {
  readonly edits: readonly Edit[];
  readonly restores: boolean;
}

/** `value` is the config in force; null when none was read yet. */
export interface SettingsNews {
  readonly type: 'settings.changed';
  readonly state: 'inForce' | 'mistaken' | 'lost';
  readonly value: Fields | null;
  /** Empty unless `state` is `mistaken`. */
  readonly mistakes: readonly Mistake[];
}
/** `isTaken`: nothing was written, because an entry that must be new already exists. */
export interface SettingsSettled {
  readonly type: 'settings.settled';
  readonly ticket: string;
  readonly isTaken: boolean;
  readonly failure: Failure | null;
}
export type SettingsInput = SettingsStart & {
  readonly self: Address;
  readonly owner: AddressFor<SettingsNews | SettingsSettled>;
};
export interface SettingsContext extends SettingsInput {
  /** Null before the first successful read. */
  readonly value: Fields | null;
  readonly mark: string;
  readonly told: string;
  readonly mistakes?: readonly Mistake[];
  readonly orders: readonly SettingsChange[];
  /** The file was changed on disk while this host wrote to it. */
  readonly isOld: boolean;
  /** The text read last; `lost`: the file is missing or empty. */
  readonly file: SettingsNews['state'];
}
export interface At<E> {
  readonly context: SettingsContext;
  readonly event: E;
}
export const readLimitMs = 10_000;
/** Time limit of a write in ms, longer than the wait for a lock left by a process that died. */
export const writeLimitMs = 75_000;

export const readRequest = (): PortRequest => ({ id: 'file', target: settingsPort, method: 'read' });
export const writeRequest = ({ context }: { readonly context: SettingsContext }): PortRequest => ({
  id: 'file',
  target: settingsPort,
  method: 'write',
  params: { edits: context.orders[0]?.edits ?? [], restores: context.file === 'lost' } satisfies FileEdits,
});
/** An unknown answer, or none, counts as an unreadable file. */
export const fileFoundIn = ({ result }: { readonly result?: unknown }): FileFound => {
  const kind = (result as { readonly kind?: unknown } | null)?.kind;
  return Object.hasOwn(stateOf, String(kind)) ? (result as FileFound) : unreadFile;
};
export const unreadFile: FileFound = {
  kind: 'wrong',
  mistakes: [{ path: '', message: 'cannot be read just now', remedy: 'save it again' }],
};

const stateOf = { good: 'inForce', wrong: 'mistaken', emptied: 'mistaken', none: 'lost' } as const;
const fileOf = ({ kind }: FileFound): SettingsNews['state'] => (kind === 'emptied' ? 'lost' : stateOf[kind]);
const mistakesOf = (found: FileFound): readonly Mistake[] => ('mistakes' in found ? found.mistakes : []);
const toldOf = (c: SettingsContext, found: FileFound): string =>
  JSON.stringify([found.kind, found.kind === 'good' ? found.mark : [c.mark, mistakesOf(found)]]);
export function afterFound(c: SettingsContext, found: FileFound): Partial<SettingsContext> {
  const settingsNews = { told: toldOf(c, found), mistakes: mistakesOf(found), file: fileOf(found) };
  return found.kind === 'good' ? { ...settingsNews, value: found.value, mark: found.mark } : settingsNews;
}
export function settingsNews(c: SettingsContext, found: FileFound): readonly Post[] {
  if (toldOf(c, found) === c.told) return [];
  const value = found.kind === 'good' ? found.value : c.value;
  const mistakes = mistakesOf(found);
  return [post(c.owner, { type: 'settings.changed', state: stateOf[found.kind], value, mistakes })];
}
export const settledMessage = (c: SettingsContext, found: FileFound): Post =>
  post(c.owner, {
    type: 'settings.settled',
    ticket: c.orders[0]?.ticket ?? '',
    isTaken: found.kind === 'good' && found.isTaken === true,
    failure: null,
  });
export const refusals = (
  orders: readonly SettingsChange[],
  { context }: At<unknown>,
  failure: Failure | null,
): readonly Post[] =>
  orders.map(({ ticket }) =>
    post(context.owner, { type: 'settings.settled', ticket, isTaken: false, failure }, { optional: true }),
  );

const notWritten = (message: string, remedy: string): Failure => ({
  code: 'ConfigInvalid',
  message,
  remedy,
});
export const failureIn = (event: unknown): Failure =>
  (event as { readonly failure?: Failure }).failure ?? tooSlowFailure;
export const tooSlowFailure: Failure = {
  code: wireCodes.noAnswer,
  message: 'The config file could not be written in time',
  remedy: 'Look whether another program holds it.',
};
export const closingFailure: Failure = { code: 'Closed', message: 'The presenter is closed' };
const futureFailure = notWritten(
  'The config file is of a later version: it is read, and not written',
  'Update a2c-actors, or change the file by hand.',
);
const mistakenFailure = ({ file, mistakes = [] }: SettingsContext): Failure =>
  notWritten(
    `The config file has mistakes and is not written over: ${mistakes.map((m) => mistakeLine(m, file)).join('; ')}`,
    'Fix the file first.',
  );
export function whyNotWritten(c: SettingsContext): Failure | null {
  if (c.file === 'mistaken') return mistakenFailure(c);
  return c.value !== null && isOfFuture(c.value) ? futureFailure : null;
}
