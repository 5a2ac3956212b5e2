import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import { manyBytes } from '../../../machines/protocol/protocol.ts';
import { excessBytes } from '../../../machines/protocol/size.ts';
import { rpcErrorDetails } from '../../../machines/protocol/rpc-error.ts';
import type { Hands } from './happenings.ts';
import type { Act, Pending, Progressing, Session } from './script.ts';

/** What a server does about one question, and what becomes of its answer on the way. */
export class Replies {
  readonly #hands: Hands;
  readonly #resultBytes: number;
  readonly #heard: string[];

  constructor(hands: Hands, resultBytes: number, heard: string[]) {
    this.#hands = hands;
    this.#resultBytes = resultBytes;
    this.#heard = heard;
  }
  perform(session: Session, asked: Pending, act: Exclude<Act, (...args: never) => unknown>): void {
    const { child } = session;
    const hands = this.#hands;
    if ('progresses' in act && act.progresses) this.#progress(session, asked, act.progresses, 1);
    if ('never' in act) {
      asked.withdrawn = () => {
        const late = act.cancelled?.();
        if (late !== undefined) hands.after(child, 1, () => this.answer(session, asked, late));
      };
      return;
    }
    if ('hangsUp' in act)
      return hands.after(child, 1, () => hands.lose(session, { reason: 'stdout was closed' }));
    hands.after(child, act.afterMs ?? 1, () => {
      if ('dies' in act) hands.die(child, act.dies);
      else if ('errors' in act) this.refuse(session, asked, act.errors, act.code, act.data);
      else if ('refuses' in act) this.#refuseAs(session, asked, act.refuses, unread(asked));
      else this.answer(session, asked, act.answers);
    });
  }
  /** Progress after the answer is dropped on the way. */
  progress(session: Session, asked: Pending, progress: number, total?: number, message?: string): void {
    if (session.child.isSilent || !session.pending.has(asked)) return;
    const said = told(session, message ?? '');
    const more = { ...(total !== undefined && { total }), ...(said !== '' && { message: said }) };
    asked.emit({ type: 'ask.progress', id: asked.id, progress, ...more });
  }
  #progress(session: Session, asked: Pending, how: Progressing, n: number): void {
    const { everyMs, times = Infinity } = how;
    if (n > times) return;
    this.#hands.after(session.child, everyMs, () => {
      if (!session.pending.has(asked)) return;
      this.progress(session, asked, n);
      this.#progress(session, asked, how, n + 1);
    });
  }
  answer(session: Session, asked: Pending, result: unknown): void {
    const limit = this.#resultBytes;
    if (session.child.isSilent || carried(session, asked, () => this.answer(session, asked, result))) return;
    if (!session.pending.delete(asked))
      return void this.#heard.push(`late answer of ${session.child.server} dropped`);
    const { id, emit } = asked;
    const bytes = excessBytes(result, manyBytes) ?? 0;
    if (bytes <= limit)
      return emit({
        type: 'ask.answered',
        id,
        result,
        ...(bytes > 0 && asked.method === 'tools/call' && { bytes }),
      });
    const failure: Failure = {
      code: wireCodes.tooLarge,
      message: `the answer has ${bytes} bytes`,
      details: { bytes, limit },
      remedy: 'ask for less at once',
    };
    emit({ type: 'ask.refused', id, sent: true, failure, ...unread(asked) });
  }
  refuse(session: Session, asked: Pending, message: string, code = -32603, data?: unknown): void {
    const details = rpcErrorDetails({ code, data });
    this.#refuseAs(session, asked, { code: wireCodes.toolFailed, message: told(session, message), details });
  }
  #refuseAs(session: Session, asked: Pending, failure: Failure, how: Unread = {}): void {
    if (session.child.isSilent || carried(session, asked, () => this.#refuseAs(session, asked, failure, how)))
      return;
    if (!session.pending.delete(asked)) return;
    asked.emit({ type: 'ask.refused', id: asked.id, sent: true, failure, ...how });
  }
}

type Unread = { readonly lost?: true; readonly alone?: true };
/** A tool has run whose answer cannot be read: whether it went well is unknown. */
const unread = ({ method }: Pending): Unread => (method === 'tools/call' ? { lost: true, alone: true } : {});
/** A server with secrets tells them wherever it can. */
const told = ({ child }: Session, text: string): string =>
  [text, ...(child.script.secrets ?? [])].filter((part) => part !== '').join(' ');
/** It comes another way, later or never. */
function carried(session: Session, asked: Pending, deliver: () => void): boolean {
  const { carry } = asked;
  if (!carry || !session.pending.has(asked)) return false;
  delete asked.carry;
  carry(deliver);
  return true;
}
