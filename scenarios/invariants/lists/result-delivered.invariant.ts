import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { CallSettled } from '../../../machines/call/settlement.ts';
import { toolResult, type CallToolResult } from '../../../machines/protocol/tool-result.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, learns, opens, posts, story } from '../record-builders.ts';

type Result = {
  readonly content?: unknown;
  readonly isError?: unknown;
  readonly meta?: object;
  readonly _meta?: object;
} | null;
/** A call whose server has answered: what it said, what was made of it, and until when it has to be given. */
interface Looked {
  readonly said: CallToolResult;
  made: unknown;
  due: number;
}
const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
const metaOf = (result: unknown): Readonly<Record<string, unknown>> => ({
  ...(result as Result)?._meta,
  ...(result as Result)?.meta,
});

class ResultDelivered implements Judge {
  readonly #slackMs: number;
  readonly #lookMs = new Map<Address, number>();
  readonly #looked = new Map<Address, Looked>();
  /** Nobody is late before this. */
  #soonest = Infinity;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'open') {
      const { policy } = record.input as Partial<CallStart>;
      if (record.kind === 'call' && policy) this.#lookMs.set(record.a, policy.lookMs);
    } else if (record.k === 'end') {
      this.#lookMs.delete(record.a);
      // One that is done is settled a moment after its end.
      if (record.why !== 'done') this.#looked.delete(record.a);
    } else if (record.k === 'out') {
      const looked = (record.ev as Said<{ id: string }>).id === 'finish' && this.#looked.get(record.a);
      if (looked) {
        looked.due = at + (this.#lookMs.get(record.a) ?? Infinity) + this.#slackMs;
        this.#soonest = Math.min(this.#soonest, looked.due);
      }
    } else if (record.k === 'post') return this.#settled(record);
    else if (record.k === 'in') {
      const late = at > this.#soonest ? this.quiescent(at) : undefined;
      if (record.via === 'ask') this.#hear(record);
      return late;
    }
    return undefined;
  }
  #hear({ a, id, ev }: RecordOf<'in'>): void {
    if (!isAnswer(ev?.type) || !this.#lookMs.has(a)) return;
    const { type, result } = ev as Said<{ result: unknown }>;
    if (type !== 'ask.answered') return;
    if (id === 'call') this.#looked.set(a, { said: toolResult(result), made: null, due: Infinity });
    const looked = id === 'finish' ? this.#looked.get(a) : undefined;
    if (looked) looked.made = (result as { transformed?: unknown } | null)?.transformed ?? null;
  }
  #settled({ from, ev }: RecordOf<'post'>): Found | undefined {
    const looked = this.#looked.get(from);
    if (!looked) return undefined;
    this.#looked.delete(from);
    const { end, outcome, result } = ev as Said<CallSettled>;
    const { said, made } = looked;
    const found = (what: string): Found => ({ at: from, what });
    const right = said.isError === true ? 'failed' : 'succeeded';
    if (end !== right) return found(`its server's answer is ${right}, and it was ${end}`);
    const isTruncated = metaOf(result)['a2c_cut'] !== undefined;
    if (!isTruncated && !same((result as Result)?.content, said.content))
      return found('was not given what its server said');
    const told = metaOf(result)['a2c_vrl_transformed'];
    if (told !== undefined && told !== made && !same(told, metaOf(said)['a2c_vrl_transformed']))
      return found('says of a program what no program made');
    return told !== undefined && made === told && outcome !== 'succeeded'
      ? found(`was transformed, and is ${outcome}`)
      : undefined;
  }
  quiescent(at: number): readonly Found[] {
    const late: Found[] = [];
    this.#soonest = Infinity;
    for (const [a, looked] of this.#looked)
      if (at > looked.due) {
        late.push({ at: a, what: 'is looked at for too long', kind: 'liveness' });
        looked.due = Infinity;
      } else this.#soonest = Math.min(this.#soonest, looked.due);
    return late;
  }
}

const call = 'c/client:fs/call:t1#1';
const content = [{ type: 'text', text: 'hello' }];
const opened = opens(call, 'call', 'c/client:fs#1', { policy: { lookMs: 100 } });
const answers = (result: unknown) => learns(call, 'call', 'ask.answered', { result });
const looks = asks(call, 'finish', 'finish', 'finish');
const looking = (result: unknown = { content }) => [opened, answers(result), looks];
const makes = learns(call, 'finish', 'ask.answered', { result: { transformed: '1' } });
const settled = (end: string, result: unknown = { content }, outcome = end) =>
  posts(call, 'host:c', 'call.settled', { end, outcome, result });
const transformed = { content, meta: { a2c_vrl_transformed: '1' } };
const something = learns('c', 'x');

export const resultDelivered: Invariant = {
  invariant: 'a result is delivered in time, and unchanged when its validation or program fails',
  why: 'A schema, a program or a limit that fails adds a warning; it never takes an answer away.',
  sees: ['open', 'end', 'in', 'out ask', 'post call.settled'],
  open: ({ slackMs }) => new ResultDelivered(slackMs),
  violating: [
    {
      how: 'one that is post-processed for ever',
      seen: story(...looking(), 101, something),
      said: 'for too long',
    },
    {
      how: 'one that is looked at still',
      seen: story(...looking(), 101, opened),
      until: 'quiescent',
      said: 'for too long',
    },
    {
      how: 'a program that fails, and takes the answer with it',
      seen: story(...looking(), learns(call, 'finish', 'ask.refused', {}), settled('failed')),
      said: "its server's answer is succeeded, and it was failed",
    },
    {
      how: 'a cancel that takes the answer away',
      seen: story(...looking(), settled('cancelled', null, 'unknown')),
      said: 'and it was cancelled',
    },
    {
      how: 'an error that succeeds',
      seen: story(...looking({ content, isError: true }), settled('succeeded')),
      said: "its server's answer is failed, and it was succeeded",
    },
    {
      how: 'other content',
      seen: story(...looking(), settled('succeeded', { content: [] })),
      said: 'was not given what its server said',
    },
    {
      how: 'what no program made',
      seen: story(...looking(), settled('succeeded', transformed)),
      said: 'what no program made',
    },
    {
      how: 'an error that was transformed',
      seen: story(...looking({ content, isError: true }), makes, settled('failed', transformed)),
      said: 'was transformed, and is failed',
    },
  ],
  passing: [
    {
      how: 'one that was transformed',
      seen: story(...looking(), 100, makes, settled('succeeded', transformed)),
    },
    { how: 'a look that fails', seen: story(...looking(), 100, settled('succeeded'), 10, something) },
    {
      how: 'one that was cut',
      seen: story(...looking(), settled('succeeded', { content: [], meta: { a2c_cut: {} } })),
    },
    {
      how: 'a server that says so itself',
      seen: story(...looking(transformed), settled('succeeded', transformed)),
    },
    { how: 'one from before the first record', seen: story(answers({ content }), settled('unknown', null)) },
  ],
};
