import type { Computer } from '../computer-handle.ts';
import { contentsText, desktopText, finderText, tell, type Shown } from './answers-systems.ts';
import { withComputer, type LocalOptions } from './one-shot.ts';
import { exitCodes, type Context } from './shared.ts';

/** `a2c desktop`, `a2c finder`, `a2c read`: what the servers of a config show, for one command. */
export interface DesktopOptions extends LocalOptions {
  readonly size?: number;
  readonly window?: string;
}
export interface FinderOptions extends LocalOptions {
  readonly keyword?: readonly string[];
  readonly type?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** The servers are started, asked once and ended; Ctrl-C ends them at any moment, and with them the question. */
async function show<T extends object>(
  context: Context,
  options: LocalOptions,
  ask: (computer: Computer) => Promise<T>,
  textOf: (shown: T) => Shown,
): Promise<number> {
  const { signal, terminal } = context;
  const shown = await withComputer(context, options, async (computer) => {
    const stop = (): void => void computer.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await ask(computer);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  });
  if (options.json) terminal.out(JSON.stringify(shown));
  else tell(terminal, textOf(shown));
  return exitCodes.done;
}

export function desktop(context: Context, options: DesktopOptions): Promise<number> {
  const { size, window } = options;
  const query = { ...(size !== undefined && { size }), ...(window !== undefined && { window }) };
  return show(context, options, (computer) => computer.desktop(query), desktopText);
}
export function finder(context: Context, options: FinderOptions): Promise<number> {
  const { keyword, type, offset, limit } = options;
  const query = {
    ...(keyword !== undefined && { keywords: keyword }),
    ...(type !== undefined && { fileType: type }),
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit }),
  };
  return show(context, options, (computer) => computer.finder(query), finderText);
}
export function read(context: Context, uri: string, options: LocalOptions): Promise<number> {
  const ask = async (computer: Computer) => ({ contents: await computer.readResource(uri) });
  return show(context, options, ask, ({ contents }) => contentsText(contents));
}
