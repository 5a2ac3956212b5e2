import type { Answer, InputRequired, Request } from './revision.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

const prefix = 'input:';
interface Around {
  readonly ask: (request: Omit<Request, 'params'> & { readonly params: Fields }) => void;
  readonly note: (text: string) => void;
}

/** Asks this host for what a server wants to know before it answers. */
export class Inputs {
  readonly #around: Around;
  /** By our id for it. */
  readonly #asked = new Map<unknown, (answer: Answer) => void>();
  #numbers = 0;

  constructor(around: Around) {
    this.#around = around;
  }
  async for({ requests }: InputRequired): Promise<Fields> {
    const answers = requests.map(async ([key, { method, params }]) => {
      const { result, error } = await new Promise<Answer>((resolve) => {
        const id = `${prefix}${(this.#numbers += 1)}`;
        this.#asked.set(id, resolve);
        this.#around.ask({ jsonrpc: '2.0', id, method, params });
      });
      if (error) this.#around.note(`what it wants to know cannot be had: ${error.message}`);
      return [key, result] as const;
    });
    const all = await Promise.all(answers);
    return Object.fromEntries(all.filter(([, result]) => result !== undefined));
  }
  answered(answer: Answer): void {
    this.#asked.get(answer.id)?.(answer);
    this.#asked.delete(answer.id);
  }
}
