import type { Computer } from '../../api/computer/computer-handle.ts';
import { deferred } from '../../api/deferred.ts';
import { A2cError } from '../../api/errors.ts';
import { contentsText, desktopText, finderText, tell, type Shown } from '../printing/answers-collections.ts';
import type { Context } from '../context.ts';
import { usage, type CommandGroup } from './command.ts';

/** What the prompt takes of Desktop and Finder. */
export class CollectionCommands {
  readonly #context: Context;
  readonly #computer: Computer;
  #stop: ((error: A2cError) => void) | undefined;

  constructor(context: Context, computer: Computer) {
    this.#context = context;
    this.#computer = computer;
  }
  group(): CommandGroup {
    return {
      heading: 'Windows and documents',
      commands: [
        {
          names: ['desktop', 'desktop list', 'desktop show'],
          args: '[N] [URI] [--fresh]',
          does: 'the windows of all servers: all, at most N, or one',
          run: (rest) => this.#desktop(wordsOf(rest)),
        },
        {
          names: ['finder'],
          args: '[WORD …] [--type EXT] [--offset N] [--limit N] [--fresh]',
          does: 'the documents of all servers in which one of the words stands',
          run: (rest) => this.#finder(wordsOf(rest)),
        },
        {
          names: ['read'],
          args: 'URI [--server NAME]',
          does: 'a window, or a document, a page, an element; any resource of a server that is named',
          run: (rest) => {
            const { options, plain } = optionsIn(wordsOf(rest), ['--server']);
            const [uri, more] = plain;
            if (uri === undefined || more !== undefined) throw usage('read URI [--server NAME]');
            const { '--server': server } = options;
            const which = server === undefined ? {} : { server };
            return this.#show(async () => contentsText(await this.#computer.readResource(uri, which)));
          },
        },
      ],
    };
  }
  #desktop(words: readonly string[]): Promise<void> {
    const fresh = words.includes('--fresh') ? { fresh: true } : {};
    // In any order, as the Python command takes them.
    const size = words.find((word) => /^-?\d+$/.test(word));
    const window = words.find((word) => word.includes(':'));
    const query = {
      ...(size !== undefined && { size: Number(size) }),
      ...(window !== undefined && { window }),
    };
    return this.#show(async () => desktopText(await this.#computer.desktop({ ...query, ...fresh })));
  }
  #finder(words: readonly string[]): Promise<void> {
    const { options, plain } = optionsIn(words, ['--type', '--offset', '--limit']);
    const keywords = plain.filter((word) => word !== '--fresh');
    const { '--type': fileType, '--offset': offset, '--limit': limit } = options;
    const query = {
      ...(keywords.length > 0 && { keywords }),
      ...(fileType !== undefined && { fileType }),
      ...(offset !== undefined && { offset: wholeIn('--offset', offset) }),
      limit: limit === undefined ? mostShown : wholeIn('--limit', limit),
      ...(plain.includes('--fresh') && { fresh: true }),
    };
    return this.#show(async () => finderText(await this.#computer.finder(query)));
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
const mostShown = 100;
const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const wholeIn = (option: string, text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw usage(`${option} takes a whole number`);
};
/** `--name value` for each of these names, and the other words. */
function optionsIn(
  words: readonly string[],
  names: readonly string[],
): { readonly options: Readonly<Record<string, string>>; readonly plain: readonly string[] } {
  const options: Record<string, string> = {};
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = words[at + 1];
    if (!names.includes(word)) plain.push(word);
    else if (value === undefined) throw usage(`${word} takes a value`);
    else {
      options[word] = value;
      at += 1;
    }
  }
  return { options, plain };
}
