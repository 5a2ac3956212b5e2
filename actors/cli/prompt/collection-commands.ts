import type { Fact } from '../../../machines/facts.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { deferred } from '../../kernel/listeners.ts';
import { A2cError } from '../../kernel/errors.ts';
import { contentsText, desktopText, finderText, tell, type AnswerText } from '../printing/contents.ts';
import {
  desktopQuery,
  finderQuery,
  type DesktopQueryOptions,
  type FinderQueryOptions,
} from '../collections.ts';
import type { CommandContext } from '../context.ts';
import {
  documentLimitOption,
  documentOffsetOption,
  documentTypeOption,
  freshOption,
  readServerOption,
} from '../options.ts';
import { words } from '../words.ts';
import type { PromptCommand, PromptCommands } from './commands.ts';

export class CollectionCommands {
  readonly #context: CommandContext;
  readonly #computer: Computer;
  readonly #tellFact: (fact: Fact) => void;
  #stop: ((error: A2cError) => void) | undefined;

  constructor(context: CommandContext, computer: Computer, tellOf: (fact: Fact) => void) {
    this.#context = context;
    this.#computer = computer;
    this.#tellFact = tellOf;
  }
  addTo(commands: PromptCommands): void {
    const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
      commands.add('Windows and documents', names, description);
    add(['desktop', 'desktop list', 'desktop show'], words.desktop)
      .argument('[uri]', 'the URI of a window')
      .addOption(freshOption())
      .does((window: string | undefined, { fresh }: { readonly fresh?: boolean }) =>
        this.#desktop({ ...(window !== undefined && { window }), ...(fresh !== undefined && { fresh }) }),
      );
    add(['finder', 'finder list'], words.finder)
      .argument('[word...]', 'those alone in which one of these stands')
      .addOption(documentTypeOption())
      .addOption(documentOffsetOption())
      .addOption(documentLimitOption(mostShown))
      .addOption(freshOption())
      .does((some: readonly string[], options: FinderQueryOptions) => this.#finder(some, options));
    add(['read'], words.read)
      .argument('<uri>')
      .addOption(readServerOption())
      .does((uri: string, { server }: { readonly server?: string }) => this.#read(uri, server));
  }
  #desktop(options: DesktopQueryOptions): Promise<void> {
    return this.#show(
      () => this.#computer.desktop(desktopQuery(options)),
      (shown) => desktopText(shown, options.window),
      ({ desktops, missing }) => ({ type: 'desktop', desktops: [...desktops], missing: [...missing] }),
    );
  }
  #finder(keyword: readonly string[], options: FinderQueryOptions): Promise<void> {
    const query = finderQuery({ limit: mostShown, ...options, ...(keyword.length > 0 && { keyword }) });
    return this.#show(
      () => this.#computer.finder(query),
      finderText,
      ({ documents, total_count, missing }) => ({
        type: 'finder',
        documents: [...documents],
        total_count,
        missing: [...missing],
      }),
    );
  }
  #read(uri: string, server: string | undefined): Promise<void> {
    const which = server === undefined ? {} : { server };
    return this.#show(
      () => this.#computer.readResource(uri, which),
      contentsText,
      (contents) => ({ type: 'resource', uri, contents: [...contents] }),
    );
  }
  interrupt(): boolean {
    this.#stop?.(
      new A2cError({ code: 'ToolCallCancelled', message: 'Given up; nobody waits for the answer' }),
    );
    return this.#stop !== undefined;
  }
  async #show<T>(
    ask: () => Promise<T>,
    textOf: (answer: T) => AnswerText,
    factOf: (answer: T) => Fact,
  ): Promise<void> {
    const stopped = deferred<never>();
    this.#stop = stopped.reject;
    try {
      const answer = await Promise.race([ask(), stopped.promise]);
      tell(this.#context.terminal, textOf(answer));
      this.#tellFact(factOf(answer));
    } finally {
      this.#stop = undefined;
    }
  }
}
/** When `--limit` is missing. */
const mostShown = 100;
