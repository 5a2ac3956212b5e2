import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, hears, learns, posts, story, tells } from '../record-builders.ts';

type Fields = Said<{
  failure: unknown;
  error: unknown;
  message: unknown;
  stderr: unknown;
  result: object;
  body: object;
}>;

const isFailed = (result: object | undefined): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;

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
    if (record.k === 'in') return this.#in(record);
    if (record.k === 'end') return this.#unlessClean(record.a, record.error);
    return record.k === 'out' ? this.#out(record) : undefined;
  }
  #post({ a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, failure, error, result } = ev as Fields;
    if (type === 'call.settled' && typeof result === 'object' && result !== null) this.#answers.add(result);
    return a.startsWith('host:') ? this.#unlessClean(a, [failure, error]) : undefined;
  }
  /** What machines hear of a server they tell hosts and peers: nothing of it may have come to them. */
  #in({ a, ev }: RecordOf<'in'>): Found | undefined {
    const { failure, message, stderr, result } = ev as Fields;
    const failed = isFailed(result) ? result : undefined;
    const said = [failure, message, stderr, failed].filter((part) => part !== undefined);
    return said.length === 0 ? undefined : this.#unlessClean(a, said);
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
const short = 'q7~f';
const bounds = { secrets: [secret] };
const answers = (body: object) => tells('link', 'c/link#1/link#1', 'link.answer', { ticket: '1.r1', body });
const failed = { code: 'ServerLost', message: 'ended', details: { stderr: `password ${secret}` } };
const answer = { content: [{ type: 'text', text: secret }] };
const settled = (a: string, fields: object) =>
  posts('c/client:fs/call:t1#1', a, 'call.settled', { ticket: 't1', result: null, failure: null, ...fields });

/**
 * Of what servers write on stderr, refuse with, fail with, or tell of their progress, which is hidden before any machine
 * hears of it; and of what we say ourselves: failures that hosts hear, and acks that go over a link, such as a failed call or a shown
 * config. What a server answers is not ours, nor what somebody asks of it. Traces have a veil of their own, behind
 * which these records are not: machines/trace/secrets/redaction.test.ts.
 */
export const noSecretTold: Invariant = {
  invariant: 'no failure and no shown config contains a secret',
  why: 'Details never carry secrets, and a shown config hides them (secrets). `Bounds.secrets` names what to look for.',
  sees: [
    ...(['post', 'out', 'end', 'in child.exited', 'in child.failed'] as const),
    ...(['in session.failed', 'in ask'] as const),
  ],
  open: ({ secrets = [] }) => new NoSecretTold(secrets),
  violating: [
    ...(
      [
        ['child.exited', { stderr: `key ${short}` }],
        ['child.failed', { message: `cannot start ${short}` }],
        ['session.failed', { failure: { code: 401, message: short } }],
        ['ask.refused', { failure: { code: 500, message: 'no', details: { data: { pin: short } } } }],
        ['ask.progress', { message: `with ${short}`, progress: 1 }],
        ['ask.answered', { result: { isError: true, content: [{ type: 'text', text: short }] } }],
      ] as const
    ).map(([type, fields]) => ({
      how: `a short one that ${type} brings to a machine`,
      seen: story(
        type.startsWith('ask.')
          ? learns('c/call:t1#1', 'id', type, fields)
          : hears('c/client:fs#1', type, fields),
      ),
      bounds: { secrets: [short] },
      said: `${short} is told in`,
    })),
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
  passing: [
    {
      how: 'the result of a tool that succeeded, as its server gave it',
      seen: story(learns('c/call:t1#1', 'c/call:t1#1#1', 'ask.answered', { result: answer })),
      bounds,
    },
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
