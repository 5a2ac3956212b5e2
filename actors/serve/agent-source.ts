import type { Agent, AgentTool } from '../api/agent-handle.ts';

import type { Offered, Source } from './source.ts';

const entryOf = ({ computer: _, bundleId: __, toolMeta: ___, annotations, ...tool }: AgentTool) => {
  const { more, ...hints } = annotations ?? {};
  return annotations ? { ...tool, annotations: { ...hints, ...more } } : tool;
};
const offeredBy = (computer: string, tools: readonly AgentTool[]): Offered => ({
  server: computer,
  computer,
  unread: [],
  tools: tools.map((tool) => ({ name: tool.name, original: tool.name, entry: { ...entryOf(tool) } })),
  resources: [],
  resourceTemplates: [],
  prompts: [],
});

/** Tools of all computers in its office, or of one. A computer that left keeps its tools. */
export function agentSource(agent: Agent, only?: string): Source {
  const known = new Map<string, Offered>();
  const names = (): readonly string[] => (only === undefined ? agent.status().computers : [only]);
  return {
    wrapped: undefined,
    offered: async () => {
      await Promise.all(
        names().map(async (computer) => {
          const listed = await agent.tools(computer).catch(() => undefined);
          if (listed) known.set(computer, offeredBy(computer, listed.tools));
        }),
      );
      return [...known.values()];
    },
    isAwaited: () => false,
    isComing: () => false,
    call: (computer, tool, params, { context }) =>
      agent.callTool(computer ?? only ?? names()[0] ?? '', tool, params, { context, timeoutMs: 0 }),
    whole: () => undefined,
    ask: (computer, method) =>
      Promise.reject(new Error(`computer ${computer} answers calls of tools alone, not ${method}`)),
    servers: () => [],
    restart: (computer) => Promise.reject(new Error(`the servers of ${computer} are restarted there`)),
    rootsChanged: () => {},
    listen: ({ changed }) => {
      const stops = (['tools.changed', 'computer.joined', 'computer.left'] as const).map((name) =>
        agent.on(name, () => changed()),
      );
      return () => stops.forEach((stop) => stop());
    },
  };
}
