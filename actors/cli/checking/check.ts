import { basename } from 'node:path';
import { parseConfig, type Config } from '../../../machines/config/index.ts';
import type { Violation } from '../../../machines/resources/check/index.ts';
import { A2cError } from '../../kernel/errors.ts';
import { onlyServer } from '../calling/needed.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, orClosed } from '../exit-codes.ts';
import type { SourceOptions } from '../host-options.ts';
import { withComputer } from '../one-shot.ts';
import { accepted } from '../../api/config-files.ts';
import { configOf } from '../source.ts';
import { checkServer, type Checked } from './check-server.ts';

export interface CheckOptions extends SourceOptions {
  /** Seconds. */
  readonly limit: number;
  readonly wait: number;
  readonly json: boolean;
}

/** `a2c check SERVER`: what breaks a rule of windows and documents. Ends with 1 when something does. */
export async function check(
  context: Context,
  asked: string,
  args: readonly string[],
  options: CheckOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const config = await configFor(context, asked, args, options);
  const server = config.servers[0]?.name ?? '';
  const checked = await withComputer(context, { ...options, office: '' }, config, async (computer) => {
    const status = computer.servers().find(({ name }) => name === server);
    if (status?.state !== 'ready') throw notReady(server, status);
    const plan = {
      server,
      limitMs: options.limit * 1_000,
      waitMs: options.wait * 1_000,
      signal,
      onStep: (step: string) => terminal.meter(step),
    };
    try {
      const done = await orClosed(signal, computer, () => checkServer(computer, plan));
      // Half an answer is none.
      signal.throwIfAborted();
      return done;
    } finally {
      terminal.meter(null);
    }
  });
  const isFine = checked.violations.length === 0;
  if (options.json) terminal.out(JSON.stringify({ server, ...checked }));
  else tell(context, checked);
  return exitCodeOf(signal, isFine);
}
const notReady = (
  server: string,
  status: { readonly state: string; readonly reason?: string } | undefined,
): A2cError =>
  new A2cError({
    code: 'ServerNotActive',
    message: `Server '${server}' cannot be checked: ${status?.reason ?? status?.state ?? 'it is gone'}`,
    details: { server_name: server, state: status?.state ?? 'closed' },
    remedy: 'See what it writes: --verbose',
  });

/** One server, and all that it lists is read: also of one that does not say when something changes. */
async function configFor(
  context: Context,
  asked: string,
  args: readonly string[],
  options: CheckOptions,
): Promise<Config> {
  const typed = typedServer(asked, args);
  const config = typed
    ? accepted(parseConfig({ mcpServers: typed }), undefined)
    : onlyServer(await configOf(context, options), asked);
  return {
    ...config,
    servers: config.servers.map((server) => ({
      ...server,
      settings: { ...server.settings, participation: 'resources' },
    })),
  };
}
/** A URL, or a command: its arguments, or a path, tell it from a name. */
function typedServer(asked: string, args: readonly string[]): object | undefined {
  if (/^https?:\/\//i.test(asked) && args.length === 0) return { [asked]: { url: asked } };
  if (args.length === 0 && !/[/\\]/.test(asked)) return undefined;
  return { [basename(asked)]: { command: asked, args } };
}

function tell({ terminal }: Context, { violations, read }: Checked): void {
  for (const [at, { uri, field, found, remedy, rule }] of violations.entries()) {
    const where = [uri ?? 'the server', ...(field === null ? [] : [field])].join('  ');
    terminal.out(`${rule}: ${where}`);
    terminal.out(`    ${found}`);
    // Once for all fields of one thing.
    const next = violations[at + 1];
    if (next?.rule !== rule || next.uri !== uri) terminal.out(`    ${remedy}`);
  }
  const { windows, documents, pages, elements } = read;
  terminal.out(
    `${verdict(violations)}; read: windows ${windows}, documents ${documents}, pages ${pages}, elements ${elements}`,
  );
  if (windows + documents === 0 && violations.length === 0)
    terminal.err('It shows no window:// and no dpe:// resource. See docs/windows-and-documents.md.');
}
const verdict = (violations: readonly Violation[]): string => {
  if (violations.length === 0) return 'nothing breaks a rule';
  return violations.length === 1 ? '1 thing breaks a rule' : `${violations.length} things break a rule`;
};
