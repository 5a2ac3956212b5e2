import type { Computer } from '../../api/computer/computer-handle.ts';
import { deferred } from '../../api/deferred.ts';
import { A2cError } from '../../api/errors.ts';
import { contentsText, desktopText, finderText, tell, type Shown } from './answers-collections.ts';
import { usage } from './show-failure.ts';
import type { Context } from '../context.ts';

export const collectionsHelp = `desktop [N | URI]      the windows of all servers: all, at most N, or one
finder [WORD …]        the documents of all servers in which one of the words stands
                       --fresh: servers are asked anew
read URI               a window, or a document, a page, an element`;

/** What the prompt takes of Desktop and Finder. */
export class CollectionLines {
  readonly #context: Context;
  readonly #computer: Computer;
  #stop: ((error: A2cError) => void) | undefined;

  constructor(context: Context, computer: Computer) {
    this.#context = context;
    this.#computer = computer;
  }
  /** False: it is no command of these. */
  async take(verb: string, words: readonly string[]): Promise<boolean> {
    const isFresh = words.includes('--fresh');
    const plain = words.filter((word) => word !== '--fresh');
    const [first] = plain;
    const fresh = isFresh ? { fresh: true } : {};
    if (verb === 'finder') {
      const query = { ...(plain.length > 0 && { keywords: plain }), limit: 100, ...fresh };
      await this.#show(async () => finderText(await this.#computer.finder(query)));
    } else if (verb === 'desktop')
      await this.#show(async () =>
        desktopText(await this.#computer.desktop({ ...desktopQuery(first), ...fresh })),
      );
    else if (verb !== 'read') return false;
    else if (first === undefined) throw usage('read URI');
    else await this.#show(async () => contentsText(await this.#computer.readResource(first)));
    return true;
  }
  /** Ctrl-C: nobody waits for the answer any more. False: there was nothing to give up. */
  interrupt(): boolean {
    this.#stop?.(
      new A2cError({ code: 'ToolCallCancelled', message: 'Given up; nobody waits for the answer' }),
    );
    return this.#stop !== undefined;
  }
  async #show(ask: () => Promise<Shown>): Promise<void> {
    const stopped = deferred<never>();
    this.#stop = stopped.reject;
    try {
      tell(this.#context.terminal, await Promise.race([ask(), stopped.promise]));
    } finally {
      this.#stop = undefined;
    }
  }
}
const desktopQuery = (word: string | undefined): { size?: number; window?: string } => {
  if (word === undefined) return {};
  return /^-?\d+$/.test(word) ? { size: Number(word) } : { window: word };
};
