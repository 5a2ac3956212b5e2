import {
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  handed,
  textOf,
  toolIn,
  whyWithdrawn,
  type CallRequest,
  type Confirmation,
  type Known,
} from '../../../machines/call/policy/index.ts';
import type { ToolAnnotations } from '../../../machines/catalog/index.ts';
import type { Ports } from '../../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';

/** A call that wants to run and needs a person's word. */
export interface ConfirmQuestion {
  /** The id that the caller gave the call. */
  readonly reqId: string;
  /** The name of the agent that wants it to run, as its office knows it; null: the host of this computer. */
  readonly agent: string | null;
  /** Its name in the config. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** Its name for people. */
  readonly title: string;
  /** A copy of what the tool is called with: changing it changes nothing. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What its server says that it does: hints of a stranger, no promise. */
  readonly annotations: ToolAnnotations | null;
  /**
   * Aborts when the question is no longer open: the call was cancelled, its time is over, or the computer closes. Its
   * `reason` is an `AbortError` whose message says which. What is answered then runs nothing.
   */
  readonly signal: AbortSignal;
}
/**
 * `allowForSession`: the caller is not asked about this tool of this server again. That is one agent until it leaves,
 * one conversation of a presenter, or the host itself (docs/calls.md).
 */
export type ConfirmAnswer = Confirmation['decision'] | Confirmation;
/**
 * `'allow'` and `'deny'` answer for everybody; a function asks somebody. A rejection is a denial with its text, one with
 * the name `TimeoutError` that nobody answered in time.
 */
export type Confirm =
  | 'allow'
  | 'deny'
  | ((question: ConfirmQuestion) => Promise<ConfirmAnswer> | ConfirmAnswer);

const failed = (error: unknown): string => confirmationFailed(textOf(error));

const words: ReadonlySet<unknown> = new Set(['allow', 'allowForSession', 'deny']);
/** What the callback of a host gave, read. Whatever is none of the words allows nothing. */
function confirmationIn(said: unknown): Confirmation | undefined {
  const { decision, reason } = (typeof said === 'object' && said !== null ? said : { decision: said }) as {
    readonly decision?: unknown;
    readonly reason?: unknown;
  };
  if (!words.has(decision)) return undefined;
  const word = decision as Confirmation['decision'];
  return typeof reason === 'string' && reason !== '' ? { decision: word, reason } : { decision: word };
}
const unreadable = `the answer was none of ${[...words].join(', ')}`;

/** The port `confirm`. */
export const confirmAsk =
  (
    confirm: () => Confirm,
    knownTo: (call: string) => Known | undefined,
    /** How the call at an address failed, asked when its question is withdrawn. */
    failureOf: (call: string) => () => Failure | null | undefined,
  ): Ports['request'] =>
  (from, { id, params }, emit) => {
    const { reqId, agent, server, tool, params: given } = params as CallRequest;
    const how = confirm();
    const refuse = (message: string): void =>
      emit({ type: 'ask.refused', id, sent: false, failure: { code: wireCodes.notConfirmed, message } });
    const answer = (result: Confirmation): void => emit({ type: 'ask.answered', id, result });
    if (typeof how === 'string') {
      if (how === 'allow') answer({ decision: 'allow' });
      else refuse(confirmationMissing);
      return () => {};
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const { title, annotations } = toolIn(knownTo(from), server, tool) ?? {};
    // A copy: what a callback makes of it for its person is not what is sent.
    const shown = { title: title ?? annotations?.title ?? tool, arguments: handed(given) };
    const question = { reqId, agent, server, tool, ...shown };
    const whole: ConfirmQuestion = { ...question, annotations: annotations ?? null, signal };
    // Read within the promise: what a host answers may throw when it is looked at.
    void (async () => confirmationIn(await how(whole)))().then(
      (read) => (read ? answer(read) : refuse(failed(unreadable))),
      (error: unknown) =>
        refuse(error instanceof Error && error.name === 'TimeoutError' ? confirmationLate : failed(error)),
    );
    const failure = failureOf(from);
    return () => {
      const over = new Error(`The question is no longer open: ${whyWithdrawn(failure())}`);
      over.name = 'AbortError';
      aborter.abort(over);
    };
  };
