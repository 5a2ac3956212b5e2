/** Questions to a person before a call: equal ones wait for the answer to the first. */
import type { Confirm, ConfirmQuestion } from './computer-options.ts';
import { textOf, asLine } from '../../machines/text.ts';
import { type JudgedCall, type KnownTools, copiedAsJson, toolIn } from '../../machines/call/policy/judge.ts';
import {
  confirmationDenied,
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  notConfirmed,
  whyWithdrawn,
  type Confirmation,
} from '../../machines/call/policy/policy.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
const confirmationWords: ReadonlySet<unknown> = new Set(['allow', 'allowForSession', 'deny']);
/** Any other word than the three known ones allows nothing. */
function confirmationIn(said: unknown): Confirmation | undefined {
  const { decision, reason } = (typeof said === 'object' && said !== null ? said : { decision: said }) as {
    readonly decision?: unknown;
    readonly reason?: unknown;
  };
  if (!confirmationWords.has(decision)) return undefined;
  const word = decision as Confirmation['decision'];
  return typeof reason === 'string' && reason !== '' ? { decision: word, reason } : { decision: word };
}
const unreadable = `the answer was none of ${[...confirmationWords].join(', ')}`;

const whatToAnswer =
  "Return 'allow', 'allowForSession' or 'deny' from `confirm`, or { decision: 'deny', reason }.";
const howToConfirm =
  'Give `confirm` or `permission` to createComputer, `autoApprove` to the server, or `confirmed: true` to the call.';

/** The first of equal questions is open, the others wait for it. */
class QuestionLines {
  readonly #lines = new Map<string, Turn[]>();

  /** Returns a function that leaves the line. */
  enter(key: string, turn: Turn): (with_: 'next' | 'allow' | 'late') => void {
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    if (line.push(turn) === 1) turn.ask();
    return (how) => this.#leave(key, turn, how);
  }
  #leave(key: string, turn: Turn, how: 'next' | 'allow' | 'late'): void {
    const line = this.#lines.get(key) ?? [];
    const at = line.indexOf(turn);
    if (at < 0) return;
    line.splice(at, 1);
    if (how !== 'next') for (const other of line.splice(0)) other[how]();
    if (line.length === 0) this.#lines.delete(key);
    else if (at === 0) line[0]?.ask();
  }
}
interface Turn {
  ask(): void;
  /** The person has allowed all equal calls. */
  allow(): void;
  /** The person has not answered the question before it. */
  late(): void;
}

interface AskingCall {
  readonly context: { readonly context?: unknown };
  /** Equal for calls that the same answer for the session allows. */
  readonly line: string;
  /** Explains why the question was withdrawn. */
  failure(): Failure | null | undefined;
}
export const confirmAsk = (
  confirm: () => Confirm | undefined,
  knownTo: (call: string) => KnownTools | undefined,
  callAt: (call: string) => AskingCall,
): RequestPort => {
  const lines = new QuestionLines();
  return (from, { id, params }, emit) => {
    const { reqId, agent, server, tool, params: given } = params as JudgedCall;
    const how = confirm();
    const refuse = (
      message: string,
      more: { readonly reason?: string; readonly remedy?: string } = {},
    ): void => {
      const failure = notConfirmed({ server, tool }, message, { reason: more.reason });
      const { remedy } = more;
      emit({
        type: 'ask.refused',
        id,
        sent: false,
        failure: { ...failure, ...(remedy !== undefined && { remedy }) },
      });
    };
    const answer = (result: Confirmation): void => emit({ type: 'ask.answered', id, result });
    if (typeof how !== 'function') {
      if (how === 'allow') answer({ decision: 'allow' });
      else if (how === 'deny') refuse(confirmationDenied, { reason: 'its host allows none' });
      else refuse(confirmationMissing, { remedy: howToConfirm });
      return () => {};
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const { title, annotations } = toolIn(knownTo(from), server, tool) ?? {};
    // Copies the arguments: changes that the callback makes for display must not alter what is sent.
    const shown = { title: asLine(title ?? annotations?.title ?? tool), arguments: copiedAsJson(given) };
    const call = callAt(from);
    const question = { reqId, agent, ...call.context, server, tool, ...shown };
    const whole: ConfirmQuestion = { ...question, annotations: annotations ?? null, signal };
    const read = (said: Confirmation | undefined): void => {
      leave(said?.decision === 'allowForSession' ? 'allow' : 'next');
      if (said) answer(said);
      else refuse(confirmationFailed(unreadable), { remedy: whatToAnswer });
    };
    const failed = (error: unknown): void => {
      leave('next');
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      refuse(isLate ? confirmationLate : confirmationFailed(textOf(error)));
    };
    let leave: ReturnType<QuestionLines['enter']> = () => {};
    const ask = (): void => {
      emit({ type: 'ask.began', id });
      // Reads the host's answer inside the promise, because reading a property of it may throw.
      void (async () => confirmationIn(await how(whole)))().then(read, failed);
    };
    const turn: Turn = {
      ask,
      allow: () => answer({ decision: 'allow' }),
      late: () => refuse(confirmationLate),
    };
    leave = lines.enter(call.line, turn);
    return () => {
      const failure = call.failure();
      const over = new Error(`The question is no longer open: ${whyWithdrawn(failure)}`);
      over.name = 'AbortError';
      aborter.abort(over);
      leave(failure?.details?.['which'] === 'confirm' ? 'late' : 'next');
    };
  };
};
