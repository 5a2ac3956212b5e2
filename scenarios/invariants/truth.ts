import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import { buildTable, offeredTools } from '../../machines/catalog/tool-table.ts';
import { toSmcpTool } from '../../machines/catalog/tool.ts';
import type { Tool } from '../../machines/catalog/entries.ts';
import type { SmcpTool } from '../../machines/protocol/messages/collections.ts';
import { capabilitiesOf, type Truth } from '../stage/scripted/script.ts';
import type { Harness } from '../stage/harness.ts';

/** Only the harness knows both the tools of servers and those that a computer offers. */
export const offersTheTruth = 'a computer offers what its servers would list now';

/** It was requested since, is polled, or was announced and heard. */
function isKnowable({ isListed, isTold }: Truth, isDeclared: boolean, c: ComputerContext, server: string) {
  const { client } = c.servers.find(({ rules }) => rules.server === server) ?? {};
  const isHeard = isDeclared && client?.hearsChanges !== false;
  const pollMs = isHeard ? c.timing.pollDeclaredMs : c.timing.pollMs;
  return isListed || pollMs > 0 || (isHeard && isTold);
}
/** Of servers that are not ready, and where the truth cannot be known, the known tools. */
function toolsOf(harness: Harness, c: ComputerContext, server: string): readonly Tool[] {
  const known = c.catalogs[server] ?? [];
  const script = c.stages[server] === 'ready' ? harness.servers.behind(server) : undefined;
  const truth = script?.truth?.();
  if (!script || !truth) return known;
  const { tools } = capabilitiesOf(script);
  if (!tools) return [];
  return isKnowable(truth, tools.listChanged, c, server) ? truth.tools : known;
}

export function untruths(harness: Harness): string[] {
  const root = harness.directory.find('computer');
  if (!root) return [];
  const { context: c } = root.ref.getSnapshot() as { context: ComputerContext };
  const rules = c.servers.map((server) => server.rules);
  const catalogs = Object.fromEntries(
    rules.map(({ server }) => [server, toolsOf(harness, c, server)] as const),
  );
  const table = buildTable(rules, catalogs, c.table);
  const truth = offeredTools(table, (server) => c.up[server] === true).map(toSmcpTool);
  const [is, should] = [written(c.offered), written(truth)];
  return is === should ? [] : [`offers [${shown(c.offered)}], and its servers have [${shown(truth)}]`];
}
/** The order of tools does not matter. */
const written = (tools: readonly SmcpTool[]): string =>
  tools
    .map((tool) => JSON.stringify(tool))
    .toSorted()
    .join('\n');
const shown = (tools: readonly SmcpTool[]): string =>
  tools.map(({ name, description }) => (name === description ? name : `${name} (${description})`)).join(', ');
