import type { Alive, Living } from './living.ts';

/** What a page says of who lives, for people. Pure: no clock, no document. */

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** `{connected: {ready: 'steady'}}` as `connected.ready.steady`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isJson(value)) return '';
  return Object.entries(value)
    .map(([name, inner]) => [name, stateText(inner)].filter((part) => part !== '').join('.'))
    .join(' + ');
}
/** One server, in words for somebody who knows nothing of machines. */
export interface ServerView {
  readonly address: string;
  readonly name: string;
  readonly mood: 'good' | 'busy' | 'bad' | 'off';
  readonly words: string;
  readonly why: string;
  /** ms of the trace at which it is tried again; null: it is not. */
  readonly nextAt: number | null;
  readonly attempt: string;
  readonly calls: number;
  /** ms of the trace; null: since before the page looked. */
  readonly since: number | null;
}
const words: readonly (readonly [RegExp, ServerView['mood'], string])[] = [
  [/^connected\.ready/, 'good', 'ready'],
  [/^standby/, 'good', 'starts with the first call'],
  [/^waiting/, 'bad', 'down, waits for its next try'],
  [/^open/, 'bad', 'gave up after too many tries'],
  [/^idle/, 'off', 'not started'],
  [/^(closing|recovering|ended|closed|killed)/, 'busy', 'ending'],
];
export function serversOf(alive: Alive): ServerView[] {
  const all = [...alive.values()];
  return all.filter(({ kind }) => kind === 'client').map((client) => viewOf(client, all));
}
function viewOf({ address, state, context, since, due }: Living, all: readonly Living[]): ServerView {
  const fields = isJson(context) ? context : {};
  const text = stateText(state);
  const [, mood, said] =
    words.find(([pattern]) => pattern.test(text)) ?? ([/./, 'busy', 'connecting'] as const);
  const failure = isJson(fields['failure']) ? fields['failure'] : undefined;
  const isDown = mood === 'bad';
  const next = isDown ? nextOf(due) : null;
  const { attempt, budget, server } = fields;
  return {
    address,
    name: typeof server === 'string' ? server : address,
    mood,
    words: said,
    why: failure === undefined ? '' : [failure['message'], failure['remedy']].filter(Boolean).join('. '),
    nextAt: next,
    attempt: isDown && typeof attempt === 'number' ? `try ${attempt} of ${String(budget)}` : '',
    calls: all.filter(({ kind, owner }) => kind === 'call' && owner === address).length,
    since,
  };
}
/** ms of the trace at which the next of these fires; null: none runs. */
export const nextOf = (due: Living['due']): number | null =>
  due.size === 0 ? null : Math.min(...due.values());

/** Owners before those they own, each with how deep it stands. */
export function treeOf(alive: Alive): readonly { readonly actor: Living; readonly depth: number }[] {
  const inner = (owner: string | null, depth: number): { actor: Living; depth: number }[] =>
    [...alive.values()]
      .filter((actor) => actor.owner === owner || (owner === null && !alive.has(actor.owner ?? '')))
      .flatMap((actor) => [{ actor, depth }, ...inner(actor.address, depth + 1)]);
  return inner(null, 0);
}
