import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Found, Judge, Law, RecordOf, Said } from './law.ts';
import { asks, posts, story, tells } from './telling.ts';

type Fields = Said<{ failure: unknown; error: unknown; result: object; body: object }>;

class NoSecretTold implements Judge {
  readonly #secrets: readonly string[];
  /** What servers have answered: it goes to whoever asked, as it came. */
  readonly #answers = new WeakSet<object>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }
  take(record: DirectoryRecord): Found | undefined {
    if (this.#secrets.length === 0) return undefined;
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'end') return this.#unlessClean(record.a, record.error);
    return record.k === 'out' ? this.#out(record) : undefined;
  }
  #post({ a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, failure, error, result } = ev as Fields;
    if (type === 'call.settled' && typeof result === 'object' && result !== null) this.#answers.add(result);
    return a.startsWith('host:') ? this.#unlessClean(a, [failure, error]) : undefined;
  }
  #out({ port, a, ev }: RecordOf<'out'>): Found | undefined {
    if (port !== 'link' || ev.type !== 'link.answer') return undefined;
    const { body } = ev as Fields;
    return body && this.#answers.has(body) ? undefined : this.#unlessClean(a, body);
  }
  #unlessClean(at: string, said: unknown): Found | undefined {
    if (said === undefined) return undefined;
    const text = JSON.stringify(said) ?? '';
    const secret = this.#secrets.find((each) => text.includes(each));
    return secret === undefined ? undefined : { at, what: `${secret} is told in ${text.slice(0, 300)}` };
  }
}

const secret = 'hunter2-hunter2';
const bounds = { secrets: [secret] };
const answers = (body: object) => tells('link', 'c/link#1/link#1', 'link.answer', { ticket: '1.r1', body });
const failed = { code: 'ServerLost', message: 'ended', details: { stderr: `password ${secret}` } };
const answer = { content: [{ type: 'text', text: secret }] };
const settled = (a: string, fields: object) =>
  posts('c/client:fs/call:t1#1', a, 'call.settled', { ticket: 't1', result: null, failure: null, ...fields });

/**
 * Of what we say ourselves: failures that hosts hear, and acks that go over a link, such as a failed call or a shown
 * config. What a server answers is not ours, nor what somebody asks of it. Traces have a veil of their own, behind
 * which these records are not: machines/trace/redaction.test.ts.
 */
export const noSecretTold: Law = {
  law: 'no secret is told in a failure or a config',
  why: 'Details never carry secrets, and a shown config hides them (secrets). `Bounds.secrets` names what to look for.',
  sees: ['post', 'out', 'end'],
  open: ({ secrets = [] }) => new NoSecretTold(secrets),
  crimes: [
    {
      how: 'stderr in a failure',
      seen: story(settled('host:c', { failure: failed })),
      bounds,
      said: `${secret} is told in`,
    },
    {
      how: 'stderr in an ack',
      seen: story(answers({ isError: true, structuredContent: { error: failed } })),
      bounds,
      said: `${secret} is told in`,
    },
    {
      how: 'a config that shows all',
      seen: story(answers({ servers: { fs: { env: { KEY: secret } } } })),
      bounds,
      said: `${secret} is told in`,
    },
  ],
  lawful: [
    {
      how: 'an answer of a server',
      seen: story(settled('c/link#1', { result: answer }), answers(answer)),
      bounds,
    },
    {
      how: 'a failure without it',
      seen: story(settled('host:c', { failure: { code: 408, message: 'late' } }), answers({})),
      bounds,
    },
    {
      how: 'a question with it',
      seen: story(asks('a/call:t1#1', 'call', 'a/link', 'client:tool_call', { params: { key: secret } })),
      bounds,
    },
  ],
};
