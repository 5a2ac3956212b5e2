/** Tables of tools for tests: servers with the names of their tools, and what is offered and found. */
import {
  buildTable,
  emptyTable,
  findTool,
  offeredTools,
  type Tool,
  type ToolRules,
  type ToolTable,
} from './index.ts';

export type Lists = Readonly<Record<string, readonly string[]>>;
export const toolOf = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
export const ruled = (server: string, more: Partial<ToolRules> = {}): ToolRules => ({
  server,
  forbiddenTools: [],
  toolMeta: {},
  defaultToolMeta: null,
  ...more,
});
export const catalogsOf = (lists: Lists): Record<string, readonly Tool[]> =>
  Object.fromEntries(Object.entries(lists).map(([server, tools]) => [server, tools.map(toolOf)]));
export const prefix = { onConflict: 'prefix' } as const;
/** All servers under one policy, in the order in which they stand. */
export const tableOf = (
  lists: Lists,
  more: Partial<ToolRules> = {},
  before: ToolTable = emptyTable,
): ToolTable =>
  buildTable(
    Object.keys(lists).map((server) => ruled(server, more)),
    catalogsOf(lists),
    before,
  );
export const isUp = (): boolean => true;
/** `A_x = A/x`: each name and whose tool it is. */
export const offered = (table: ToolTable): string[] =>
  offeredTools(table, isUp).map(({ shown, server, tool }) => `${shown} = ${server}/${tool.name}`);
export const found = (table: ToolTable, name: string): string | undefined => {
  const entry = findTool(table, name);
  return entry && `${entry.server}/${entry.tool.name}`;
};
