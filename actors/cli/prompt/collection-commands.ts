import type { Fact } from '../../../machines/facts/index.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { deferred } from '../../kernel/listeners.ts';
import { A2cError } from '../../kernel/errors.ts';
import { contentsText, desktopText, finderText, tell, type Shown } from '../printing/contents.ts';
import type { Context } from '../context.ts';
import { usage, type CommandGroup } from './command.ts';
import { wordsIn } from './words.ts';

/** How a command is written. */
interface Form {
  readonly name: string;
  readonly args: string;
  /** Options with a value. */
  readonly options?: readonly string[];
  /** Options without one. */
  readonly flags?: readonly string[];
}
const forms = {
  desktop: { name: 'desktop', args: '[N] [URI] [--fresh]', flags: ['--fresh'] },
  finder: {
    name: 'finder',
    args: '[WORD …] [--type EXT] [--offset N] [--limit N] [--fresh]',
    options: ['--type', '--offset', '--limit'],
    flags: ['--fresh'],
  },
  read: { name: 'read', args: 'URI [--server NAME]', options: ['--server'] },
} as const satisfies Readonly<Record<string, Form>>;

/** What the prompt takes of Desktop and Finder. */
export class CollectionCommands {
  readonly #context: Context;
  readonly #computer: Computer;
  readonly #tellFact: (fact: Fact) => void;
  #stop: ((error: A2cError) => void) | undefined;

  constructor(context: Context, computer: Computer, tellOf: (fact: Fact) => void) {
    this.#context = context;
    this.#computer = computer;
    this.#tellFact = tellOf;
  }
  group(): CommandGroup {
    return {
      heading: 'Windows and documents',
      commands: [
        {
          names: ['desktop', 'desktop list', 'desktop show'],
          args: forms.desktop.args,
          does: 'the windows of all servers: all, at most N, or one',
          run: (rest) => this.#desktop(rest),
        },
        {
          names: ['finder', 'finder list'],
          args: forms.finder.args,
          does: 'the documents of all servers, or those in which one of the words stands',
          run: (rest) => this.#finder(rest),
        },
        {
          names: ['read'],
          args: forms.read.args,
          does: 'a window, or a document, a page, an element; any resource of a server that is named',
          run: (rest) => this.#read(rest),
        },
      ],
    };
  }
  #desktop(rest: string): Promise<void> {
    const { flags, plain } = readAs(forms.desktop, rest);
    const fresh = flags.has('--fresh') ? { fresh: true } : {};
    // In any order, as the Python command takes them.
    const size = plain.find((word) => /^-?\d+$/.test(word));
    const window = plain.find((word) => word.includes(':'));
    const other = plain.find((word) => word !== size && word !== window);
    if (other !== undefined)
      throw wrong(forms.desktop, `${other} is neither a number nor the URI of a window`);
    const query = {
      ...(size !== undefined && { size: Number(size) }),
      ...(window !== undefined && { window }),
    };
    return this.#show(
      () => this.#computer.desktop({ ...query, ...fresh }),
      (shown) => desktopText(shown, window),
      ({ desktops, missing }) => ({ type: 'desktop', desktops: [...desktops], missing: [...missing] }),
    );
  }
  #finder(rest: string): Promise<void> {
    const { options, flags, plain } = readAs(forms.finder, rest);
    const { '--type': fileType, '--offset': offset, '--limit': limit } = options;
    const query = {
      ...(plain.length > 0 && { keywords: plain }),
      ...(fileType !== undefined && { fileType }),
      ...(offset !== undefined && { offset: wholeIn('--offset', offset) }),
      limit: limit === undefined ? mostShown : wholeIn('--limit', limit),
      ...(flags.has('--fresh') && { fresh: true }),
    };
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
  #read(rest: string): Promise<void> {
    const { options, plain } = readAs(forms.read, rest);
    const [uri, more] = plain;
    if (uri === undefined) throw usage(usageOf(forms.read));
    if (more !== undefined) throw wrong(forms.read, `${more} is one word too many`);
    const { '--server': server } = options;
    const which = server === undefined ? {} : { server };
    return this.#show(
      () => this.#computer.readResource(uri, which),
      contentsText,
      (contents) => ({ type: 'resource', uri, contents: [...contents] }),
    );
  }
  /** Ctrl-C: nobody waits for the answer any more. False: there was nothing to give up. */
  interrupt(): boolean {
    this.#stop?.(
      new A2cError({ code: 'ToolCallCancelled', message: 'Given up; nobody waits for the answer' }),
    );
    return this.#stop !== undefined;
  }
  /** The answer for a person, and as a line for programs. */
  async #show<T>(
    ask: () => Promise<T>,
    textOf: (answer: T) => Shown,
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
const mostShown = 100;
const usageOf = ({ name, args }: Form): string => `${name} ${args}`;
const wrong = (form: Form, message: string): A2cError =>
  new A2cError({ code: 400, message, remedy: usage(usageOf(form)).message });
const wholeIn = (option: string, text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw wrong(forms.finder, `${option} takes a whole number`);
};
interface Written {
  readonly options: Readonly<Record<string, string>>;
  readonly flags: ReadonlySet<string>;
  readonly plain: readonly string[];
}
function readAs(form: Form, rest: string): Written {
  const words = wordsIn(rest);
  const options: Record<string, string> = {};
  const flags = new Set<string>();
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = words[at + 1];
    if (!word.startsWith('--')) plain.push(word);
    else if (form.flags?.includes(word)) flags.add(word);
    else if (!form.options?.includes(word)) throw wrong(form, `${form.name} has no option ${word}`);
    else if (value === undefined) throw wrong(form, `${word} takes a value`);
    else {
      options[word] = value;
      at += 1;
    }
  }
  return { options, flags, plain };
}
