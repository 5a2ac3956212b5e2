import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
}
/** What one version of a published server listed when it was asked. */
export interface ToolList {
  readonly package: string;
  readonly version: string;
  readonly tools: readonly ListedTool[];
}

const folder = new URL('tool-lists/', import.meta.url);
const fileOf = (name: string): URL => new URL(`${name.replace(/^@/, '').replaceAll('/', '-')}.json`, folder);

/** One line for each tool, so that a change of one is a change of one line. */
export function writeToolList(list: ToolList): string {
  const { tools, ...head } = list;
  const lines = tools.map((tool) => `  ${JSON.stringify(tool)}`).join(',\n');
  const start = JSON.stringify(head).slice(0, -1);
  const file = fileOf(list.package);
  writeFileSync(file, `${start},"tools":[\n${lines}\n]}\n`);
  return fileURLToPath(file);
}

export const toolLists: readonly ToolList[] = readdirSync(folder)
  .toSorted()
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as ToolList);
