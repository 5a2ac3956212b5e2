import type { Hands } from './happenings.ts';
import type { Act, Pending, Progressing, Session } from './script.ts';

/** The members of an answer besides its id. */
type Answer = { readonly result: unknown } | { readonly error: { readonly message: string } };

/** What a server does about one question, and what becomes of its answer on the way. */
export class Replies {
  readonly #hands: Hands;

  constructor(hands: Hands) {
    this.#hands = hands;
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
      return hands.after(child, 1, () => hands.lose(session, { reason: 'the server hung up' }));
    hands.after(child, act.afterMs ?? 1, () => {
      if ('dies' in act) hands.die(child, act.dies);
      else if ('errors' in act) this.refuse(session, asked, act.errors, act.code, act.data);
      else if ('endless' in act) this.page(session, asked, 0);
      else this.answer(session, asked, act.answers);
    });
  }
  /** An empty page, after which there is another. */
  page(session: Session, asked: Pending, n: number): void {
    this.answer(session, asked, { tools: [], nextCursor: String(n + 1) });
  }
  /** To a question that is answered the client listens no more. */
  progress(session: Session, asked: Pending, progress: number, total?: number, message?: string): void {
    if (session.child.isSilent || !session.pending.has(asked.id)) return;
    const said = told(session, message ?? '');
    const more = { ...(total !== undefined && { total }), ...(said !== '' && { message: said }) };
    const params = { progressToken: asked.id, progress, ...more };
    session.write({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }
  #progress(session: Session, asked: Pending, how: Progressing, n: number): void {
    const { everyMs, times = Infinity } = how;
    if (n > times) return;
    this.#hands.after(session.child, everyMs, () => {
      if (!session.pending.has(asked.id)) return;
      this.progress(session, asked, n);
      this.#progress(session, asked, how, n + 1);
    });
  }
  answer(session: Session, asked: Pending, result: unknown): void {
    this.#write(session, asked, { result });
  }
  refuse(session: Session, asked: Pending, message: string, code = -32603, data?: unknown): void {
    const error = { code, message: told(session, message), ...(data !== undefined && { data }) };
    this.#write(session, asked, { error });
  }
  /** A question that was withdrawn is answered all the same: the client drops that. */
  #write(session: Session, asked: Pending, answer: Answer): void {
    if (session.child.isSilent || carried(session, asked, () => this.#write(session, asked, answer))) return;
    session.pending.delete(asked.id);
    session.write({ jsonrpc: '2.0', id: asked.id, ...answer });
  }
}

/** A server with secrets tells them wherever it can. */
const told = ({ child }: Session, text: string): string =>
  [text, ...(child.script.secrets ?? [])].filter((part) => part !== '').join(' ');
/** It comes another way, later or never. */
function carried(session: Session, asked: Pending, deliver: () => void): boolean {
  const { carry } = asked;
  if (!carry || !session.pending.has(asked.id)) return false;
  delete asked.carry;
  carry(deliver);
  return true;
}
