import type { Crossing } from '../../../machines/trace/channels.ts';
import { answers, crossingsOf, agentCalls, crossingIn, crossingOut, hears } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

type Fields = {
  readonly failure: unknown;
  readonly error: unknown;
  readonly message: unknown;
  readonly stderr: unknown;
  readonly result: unknown;
  readonly ticket: string;
  readonly body: unknown;
};
const isFailed = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;

class NoSecretTold implements Judge<Crossing> {
  readonly #secrets: readonly string[];
  /** The server's answer goes to the caller unchanged. */
  readonly #calls = new Set<string>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }
  take({ k, ch, ev }: Crossing): FoundViolation | undefined {
    if (this.#secrets.length === 0) return undefined;
    const { type, failure, error, message, stderr, result, ticket = '', body } = fieldsOfEvent<Fields>(ev);
    if (type === 'agent.called') this.#calls.add(ticket);
    if (k === 'said') return this.#unlessClean(ch, [failure, error]);
    if (k === 'out')
      return this.#calls.delete(ticket) && !isFailed(body) ? undefined : this.#unlessClean(ch, body);
    if (ch.startsWith('host:')) return undefined;
    // Machines pass texts of servers on to hosts and peers, so these must be redacted before.
    const told = [failure, message, stderr, isFailed(result) ? result : undefined].filter(
      (part) => part !== undefined,
    );
    return told.length === 0 ? undefined : this.#unlessClean(ch, told);
  }
  #unlessClean(at: string, told: unknown): FoundViolation | undefined {
    const text = JSON.stringify(told) ?? '';
    const secret = this.#secrets.find((each) => text.includes(each));
    return secret === undefined ? undefined : { at, what: `${secret} is told in ${text.slice(0, 300)}` };
  }
}

const secret = 'q7~f';
const bounds = { secrets: [secret] };
const link = 'link:computer:c1/1';
const acks = (body: object, ticket = '1.r1') => crossingOut(link, 'link.answer', { ticket, body });
const failed = { code: 'ServerLost', message: 'ended', details: { stderr: `password ${secret}` } };
const answer = { content: [{ type: 'text', text: secret }] };

/** Stderr, refusals, failures and progress are redacted; answers of servers and requests to them are not. */
export const noSecretTold: Boundary = {
  reads: 'boundary',
  invariant: 'no failure and no shown config contains a secret',
  why: 'Details never carry secrets, and a shown config hides them (secrets). `Bounds.secrets` names what to look for.',
  sees: ['in', 'said', 'out link.answer'],
  open: ({ secrets = [] }) => new NoSecretTold(secrets),
  violating: [
    ...[
      crossingIn('process:files/1', 'child.exited', { stderr: `key ${secret}` }),
      crossingIn('session:files/1', 'session.failed', { failure: { code: 401, message: secret } }),
      answers('ask.progress', { message: `with ${secret}`, progress: 1 }),
      answers('ask.answered', { result: { isError: true, ...answer } }),
      hears('host:computer', 'call.settled', { failure: failed }),
      acks({ servers: { files: { env: { KEY: secret } } } }),
    ].map((crossing) => ({
      how: `${crossing.ev?.type} of ${crossing.ch}`,
      seen: crossingsOf(crossing),
      bounds,
      said: `${secret} is told in`,
    })),
    {
      how: 'stderr in an ack',
      seen: crossingsOf(agentCalls(), acks({ isError: true, structuredContent: { error: failed } })),
      bounds,
      said: `${secret} is told in`,
    },
  ],
  passing: [
    {
      how: 'an answer of a server',
      seen: crossingsOf(agentCalls(), answers('ask.answered', { result: answer }), acks(answer)),
      bounds,
    },
  ],
};
