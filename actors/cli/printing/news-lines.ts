import { padded } from '../../../adapters/index.ts';
import type { ComputerEvents } from '../../api/computer-handle.ts';
import { nameColumns, serverLine } from './answers.ts';

/** Lines that tell a person of servers and of the office as it happens: one for each try, and each reason once until it changes. */
export class NewsLines {
  /** Reason why each of them is down, by its name; '': the office. */
  readonly #reasons = new Map<string, string>();
  #last = '';

  /** Undefined: nobody wants to know, or it was just said. */
  of(name: string, value: unknown): string | undefined {
    const line = this.#lineOf(name, value);
    if (line === this.#last) return undefined;
    this.#last = line ?? this.#last;
    return line;
  }
  #lineOf(name: string, value: unknown): string | undefined {
    if (name === 'server.changed') return this.#server(value as ComputerEvents['server.changed']);
    if (name === 'link.changed') return this.#office(value as ComputerEvents['link.changed']);
    if (name !== 'server.removed') return undefined;
    const { name: removed } = value as ComputerEvents['server.removed'];
    this.#reasons.delete(removed);
    return `server ${padded(removed, nameColumns)} removed`;
  }
  /** A loss, and what follows up to the next wait, is told with that. */
  #server(server: ComputerEvents['server.changed']): string | undefined {
    const { name, state, reason = '', failure } = server;
    if (state === 'recovering' || (state === 'connecting' && failure)) return undefined;
    const again = this.#isAgain(name, failure?.message ?? '');
    // Behind its failure a reason says which try it was.
    const rest = failure ? reason.slice(failure.message.length) : '';
    return `server ${serverLine(again ? { ...server, reason: `as before${rest}` } : server)}`;
  }
  #office({ state, reason }: ComputerEvents['link.changed']): string | undefined {
    if (state === 'waiting')
      return this.#isAgain('', reason ?? '')
        ? undefined
        : `office not reached, trying again: ${reason ?? 'no reason given'}`;
    if (state === 'connecting' && this.#reasons.has('')) return undefined;
    this.#reasons.delete('');
    return `office ${state}`;
  }
  #isAgain(name: string, reason: string): boolean {
    const isAgain = reason !== '' && this.#reasons.get(name) === reason;
    this.#reasons.set(name, reason);
    return isAgain;
  }
}
