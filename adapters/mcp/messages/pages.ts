import type { Emit, RequestFact } from '../../../machines/kernel/ports.ts';
import type { Tool } from '../../../machines/catalog/entries.ts';
import { wireCodes } from '../../../machines/protocol/failure.ts';
import { type Tell } from '../lenient.ts';
import { decoders, unusableTool } from './codec.ts';
import { notesOf, type Envelope } from './envelope.ts';
import { factOf, unusableAnswer } from './refusal.ts';
import { fieldsOf, isObject } from '../../../machines/protocol/json.ts';

/** A larger list is refused: it is kept in memory, and an endless list would exhaust the host. */
const most = { pages: 500, entries: 50_000, bytes: 20 * 1024 * 1024 } as const;
const mostUnusable = 100;

export const listed: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

export interface ListRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}

type Page = { readonly cursor?: string | number; readonly refused?: RequestFact };

/** Invalid entries are counted in `malformed`; the first hundred invalid tools are also in `unusable`. */
export class Gathering {
  readonly #request: ListRequest;
  readonly #emit: Emit<RequestFact>;
  readonly #tell: Tell;
  readonly #member: string;
  readonly #cursors = new Set<string | number>();
  readonly #flawed: Tool[] = [];
  #entries: object[] = [];
  #malformed = 0;
  #bytes = 0;

  constructor(request: ListRequest, emit: Emit<RequestFact>, tell: Tell) {
    this.#request = request;
    this.#emit = emit;
    this.#tell = tell;
    this.#member = listed[request.method] ?? 'items';
  }
  /** Returns the params of the next request; undefined when the list is complete and reported. */
  take(answer: Envelope): object | undefined {
    const { params } = this.#request;
    const { cursor, refused } = this.#read(answer);
    if (cursor !== undefined) return { ...(params as object | undefined), cursor };
    this.#emit(refused ?? this.#whole());
    return undefined;
  }
  #whole(): RequestFact {
    const { id, method } = this.#request;
    if (this.#malformed > 0 && this.#member !== 'tools')
      this.#tell(
        `${method}: ${this.#malformed} entries are left out: they lack what they are found by, or a name`,
      );
    const result = {
      [this.#member]: this.#entries,
      ...(this.#malformed > 0 && { malformed: this.#malformed }),
      ...(this.#flawed.length > 0 && { unusable: this.#flawed }),
    };
    return { type: 'ask.answered', id, result };
  }
  /** The cursor of the next page, the fact that ends the list with a refusal, or neither for the last page. */
  #read(answer: Envelope): Page {
    const { id, method } = this.#request;
    const fact = factOf(id, answer, method);
    if (fact.type !== 'ask.answered') return { refused: fact };
    const page = fieldsOf(fact.result);
    const found = page[this.#member] ?? [];
    if (!isObject(fact.result) || !Array.isArray(found))
      return {
        refused: unusableAnswer(id, `the server answered ${method} without a list of ${this.#member}`),
      };
    for (const entry of found) this.#add(entry);
    this.#bytes += notesOf(answer).bytes ?? 0;
    const tooMuch = this.#tooMuch();
    return tooMuch === undefined ? this.#next(page['nextCursor']) : { refused: tooLarge(id, tooMuch) };
  }
  #add(entry: unknown): void {
    const decoded = decoders[this.#request.method]?.(entry);
    if (decoded) return void this.#entries.push(decoded);
    this.#malformed += 1;
    if (this.#member === 'tools' && this.#flawed.length < mostUnusable)
      this.#flawed.push(unusableTool(entry, this.#entries.length + this.#malformed));
  }
  #tooMuch(): string | undefined {
    const list = `the list of ${this.#member}`;
    if (this.#bytes > most.bytes)
      return `${list} has more than ${most.bytes / 1024 / 1024} MiB in all its pages`;
    if (this.#entries.length > most.entries) return `${list} has more than ${most.entries} entries`;
    return this.#cursors.size >= most.pages ? `${list} has more than ${most.pages} pages` : undefined;
  }
  #next(cursor: unknown): Page {
    // Some servers write an empty cursor on their last page.
    if ((typeof cursor !== 'string' && typeof cursor !== 'number') || cursor === '') return {};
    if (!this.#cursors.has(cursor)) {
      this.#cursors.add(cursor);
      return { cursor };
    }
    this.#tell(
      `${this.#request.method}: the cursor ${JSON.stringify(cursor).slice(0, 80)} came twice; the list ends there`,
    );
    // Removes duplicates, because a repeated cursor also repeats entries.
    this.#entries = [...new Map(this.#entries.map((entry) => [JSON.stringify(entry), entry])).values()];
    return {};
  }
}

const tooLarge = (id: string, message: string): RequestFact => ({
  type: 'ask.refused',
  id,
  failure: {
    code: wireCodes.tooLarge,
    message,
    details: { limit: most },
    remedy: 'Let the server list less, or switch it off',
  },
  sent: true,
});
