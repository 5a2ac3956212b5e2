import type { Fact } from '../../../machines/facts.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { deferred } from '../../kernel/listeners.ts';
import { A2cError } from '../../kernel/errors.ts';
import { contentsText, tell } from '../printing/contents.ts';
import { desktopQuestion, finderQuestion, type Question } from '../collections.ts';
import type { CommandContext } from '../context.ts';
import {
  freshOption,
  ofDocuments,
  readServerOption,
  withOptions,
  type FinderQueryOptions,
} from '../options.ts';
import { words } from '../words.ts';
import type { PromptCommand, PromptCommands } from './commands.ts';

/** When `--limit` is missing. */
const mostShown = 100;
/** Returns what Ctrl-C does; false when no question was open. */
export function addCollections(
  commands: PromptCommands,
  { terminal }: CommandContext,
  computer: Computer,
  tellFact: (fact: Fact) => void,
): () => boolean {
  let stop: ((error: A2cError) => void) | undefined;
  const show = async <T>({ ask, text }: Question<T>, factOf: (answer: T) => Fact): Promise<void> => {
    const stopped = deferred<never>();
    stop = stopped.reject;
    try {
      const answer = await Promise.race([ask(computer), stopped.promise]);
      tell(terminal, text(answer));
      tellFact(factOf(answer));
    } finally {
      stop = undefined;
    }
  };
  const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
    commands.add('Windows and documents', names, description);
  add(['desktop', 'desktop list', 'desktop show'], words.desktop)
    .argument('[uri]', 'the URI of a window')
    .addOption(freshOption())
    .does((window: string | undefined, options: { readonly fresh?: boolean }) =>
      show(desktopQuestion({ ...options, ...(window !== undefined && { window }) }), (shown) => ({
        type: 'desktop',
        desktops: [...shown.desktops],
        missing: [...shown.missing],
      })),
    );
  withOptions(add(['finder', 'finder list'], words.finder), ofDocuments(mostShown))
    .argument('[word...]', 'those alone in which one of these stands')
    .does((keyword: readonly string[], options: FinderQueryOptions) =>
      show(
        finderQuestion({ limit: mostShown, ...options, ...(keyword.length > 0 && { keyword }) }),
        ({ documents, total_count, missing }) => ({
          type: 'finder',
          documents: [...documents],
          total_count,
          missing: [...missing],
        }),
      ),
    );
  add(['read'], words.read)
    .argument('<uri>')
    .addOption(readServerOption())
    .does((uri: string, { server }: { readonly server?: string }) =>
      show({ ask: (of) => of.readResource(uri, { server }), text: contentsText }, (contents) => ({
        type: 'resource',
        uri,
        contents: [...contents],
      })),
    );
  return () => {
    stop?.(new A2cError({ code: 'ToolCallCancelled', message: 'Given up; nobody waits for the answer' }));
    return stop !== undefined;
  };
}
