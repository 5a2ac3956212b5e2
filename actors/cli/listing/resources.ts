import type { ServerResources } from '../../api/computer/server-handle.ts';
import { onlyServer } from '../calling/needed.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, hasUsable, orClosed } from '../exit-codes.ts';
import { withComputer, type OneShotOptions } from '../one-shot.ts';
import { inOneLine } from '../printing/answers-collections.ts';
import { listedLine, rowsOf, typed } from '../printing/commands-shown.ts';
import { configOf } from '../source.ts';

/** `a2c resources`: what each server lists that can be read, and the command that reads it. */
export async function resources(
  context: Context,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const all = await configOf(context, options);
  const config = name === undefined ? all : onlyServer(all, name);
  const { listed, isUsable } = await withComputer(context, options, config, async (computer) => ({
    listed: await orClosed(signal, computer, () => computer.resources()),
    isUsable: hasUsable(context, computer.servers()),
  }));
  if (options.json) terminal.out(JSON.stringify({ servers: listed }));
  else
    for (const line of listed.flatMap((server, at) => [...(at > 0 ? [''] : []), ...linesOf(server)]))
      terminal.out(line);
  return exitCodeOf(signal, isUsable);
}
function linesOf({ server, resources: plain, templates, failure }: ServerResources): string[] {
  const count = `${plain.length} resources${templates.length > 0 ? `, ${templates.length} templates` : ''}`;
  const rows = [
    ...plain.map((each) => [each.uri, inOneLine(each.title ?? each.name, 40), each.mimeType ?? '']),
    ...templates.map((each) => [each.uriTemplate, inOneLine(each.title ?? each.name, 40), 'template']),
  ];
  const [first] = plain;
  return [
    listedLine(server, count, failure),
    ...rowsOf(rows).map((row) => `  ${row}`),
    ...(first ? [`  read one: ${typed('a2c', 'read', first.uri, '--server', server)}`] : []),
  ];
}
