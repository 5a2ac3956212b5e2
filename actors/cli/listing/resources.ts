import type { ServerResources } from '../../servers/server-handle.ts';
import type { Context } from '../context.ts';
import type { OneShotOptions } from '../one-shot.ts';
import { inOneLine } from '../printing/answers-collections.ts';
import { listedLine, rowsOf, typed } from '../printing/commands-shown.ts';
import { listOfServers } from './of-servers.ts';

/** `a2c resources`: what each server lists that can be read, and the command that reads it. */
export const resources = (
  context: Context,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> => listOfServers(context, name, options, (computer) => computer.resources(), linesOf);
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
