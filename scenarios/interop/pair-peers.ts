import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgent, type Agent } from '../../actors/index.ts';
import { pythonOf, startPeers, type PeerMessage } from '../fixtures/python-peers.ts';
import { startHost, startQuietly, type StartedHost } from '../fixtures/started-host.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const command = at('../../dist/actors/main.js');
export const office = 'o';
export const computerName = 'k';
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'a2c-interop-'));

/** In the folder of the user that both projects read. */
export const skillText = 'Say hello first.\n';
const skillHome = newFolder();
mkdirSync(join(skillHome, 'user', 'greet'), { recursive: true });
const front = '---\nname: greet\ndescription: Greets a person\n---\n';
writeFileSync(join(skillHome, 'user', 'greet', 'SKILL.md'), front + skillText);
process.env['A2C_SKILL_HOME'] = skillHome;

/** End of a call; `outcome` is known only for agents of this project. */
export interface CallEnd {
  readonly isError: boolean;
  readonly text: string;
  readonly sha256: string;
  readonly outcome?: string;
  readonly code?: string | number;
}
export interface AgentPeer {
  hears(tools: readonly string[]): Promise<void>;
  /** Asks repeatedly. */
  sees(tool: string): Promise<void>;
  call(tool: string, params: object, timeoutS: number, computer?: string): Promise<CallEnd>;
  config(): Promise<readonly string[]>;
  desktop(): Promise<readonly string[]>;
  resources(server: string): Promise<readonly string[]>;
  skill(name: string, path?: string): Promise<string>;
  close(): Promise<void>;
}
/** `url` is the office's address, for a computer that of its office. */
export type ProcessPeer = Pick<StartedHost, 'url' | 'kill'>;

interface Item {
  readonly text?: string;
  readonly data?: string;
  readonly resource?: { readonly blob?: string };
}
const sha256 = (data: string): string =>
  createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex');
const named = (tools: readonly string[], tool: string): string =>
  tools.find((name) => name === tool || name.endsWith(`__${tool}`)) ?? tool;

export async function ourAgent(url: string): Promise<AgentPeer> {
  const agent = await createAgent({
    url,
    office,
    name: 'a',
    timing: anyTiming({ relayMarginMs: 500, agentMarginMs: 500 }),
  });
  const namesOf = (): readonly string[] => {
    const known = agent.status().computers.includes(computerName);
    return known ? toolNames : [];
  };
  let toolNames: readonly string[] = [];
  const waiting = new Set<() => void>();
  agent.on('tools.changed', ({ value }) => {
    toolNames = value.map(({ name }) => name);
    for (const look of waiting) look();
  });
  const hears = (tools: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('not told of all tools within 10 s')), 10_000);
      const look = (): void => {
        if (!tools.every((tool) => namesOf().includes(named(namesOf(), tool)))) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    hears,
    sees: (tool) => hears([tool]),
    call: async (tool, params, timeoutS, computer = computerName) => {
      const { outcome, result, failure } = await agent.callTool(
        computer,
        named(namesOf(), tool),
        { ...params },
        {
          timeoutMs: timeoutS * 1_000,
        },
      );
      const [item] = ((result ?? {}) as { content?: Item[] }).content ?? [];
      return {
        isError: outcome !== 'succeeded',
        text: failure?.message ?? item?.text ?? '',
        sha256: sha256(item?.data ?? item?.resource?.blob ?? ''),
        outcome,
        ...(failure && { code: failure.code }),
      };
    },
    config: async () =>
      Object.values((await agent.config(computerName)).servers)
        .map((server) => String((server as { name?: unknown }).name))
        .toSorted(),
    desktop: async () => (await agent.desktop(computerName)).desktops,
    resources: (server) => resourcesOf(agent, computerName, server),
    skill: async (name, path) => {
      const listed = await agent.skills.list(computerName);
      if (!listed.some((each) => each.name === name)) throw new Error(`no skill '${name}'`);
      return (
        (await agent.skills.read(computerName, name, { ...(path !== undefined && { path }) })).text ?? ''
      );
    },
    close: () => agent.close(),
  };
}

async function resourcesOf(agent: Agent, computer: string, server: string): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const { resources, nextCursor } = await agent.resources(computer, server, { cursor });
    uris.push(...resources.map(({ uri }) => uri));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return uris;
}

const ok = ({ ok: value, error }: PeerMessage): unknown => {
  if (error !== undefined) throw new Error(error);
  return value;
};
export async function pythonAgent(version: string, url: string): Promise<AgentPeer> {
  const peers = await startPeers(version);
  const about = { name: 'a', computer: computerName };
  ok(await peers.do('agent', { name: 'a', url, office }));
  let toolNames: readonly string[] = [];
  return {
    hears: async (tools) => {
      ok(await peers.do('hear', { ...about, tools }));
      toolNames = ok(await peers.do('tools', about)) as string[];
    },
    sees: async (tool) => ok(await peers.do('see', { ...about, tool })) as undefined,
    call: async (tool, params, timeout, computer = computerName) => {
      const full = named(toolNames, tool);
      const said = await peers.do('call', { name: 'a', computer, tool: full, params, timeout });
      if (said.error !== undefined) return { isError: true, text: said.error, sha256: '' };
      const { isError, content } = said.ok as {
        isError: boolean;
        content: readonly { text: string | null; sha256: string }[];
      };
      return { isError, text: content[0]?.text ?? '', sha256: content[0]?.sha256 ?? '' };
    },
    config: async () => ok(await peers.do('config', about)) as string[],
    desktop: async () => ok(await peers.do('desktop', about)) as string[],
    resources: async (server) => ok(await peers.do('resources', { ...about, server })) as string[],
    skill: async (skill, path) => ok(await peers.do('skillText', { ...about, skill, path })) as string,
    close: async () => peers[Symbol.asyncDispose](),
  };
}

export const ourOffice = (): Promise<ProcessPeer> =>
  startHost(process.execPath, [command, 'office', '--port', '0', '--open', '--no-inspect']);
export const pythonOffice = async (version: string): Promise<ProcessPeer> =>
  startHost(await pythonOf(version), [at('office.py')]);

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}
const serversOf = async (version: string): Promise<Readonly<Record<string, Launch>>> => ({
  files: { command: process.execPath, args: [at('image-server.mjs')] },
  frail: { command: process.execPath, args: [at('image-server.mjs'), 'frail'] },
  fast: { command: await pythonOf(version), args: [at('fast_server.py')] },
});
export async function ourComputer(version: string, url: string): Promise<ProcessPeer> {
  const config = join(newFolder(), 'servers.json');
  const settings = { mcpServers: await serversOf(version), a2c: { skills: ['user'] } };
  writeFileSync(config, JSON.stringify(settings));
  const where = ['--url', url, '--office', office, '--name', computerName];
  const args = [command, 'computer', ...where, '--config', config, '--confirm', 'allow'];
  return { url, kill: startQuietly(process.execPath, args) };
}
export async function pythonComputer(version: string, url: string): Promise<ProcessPeer> {
  const peers = await startPeers(version);
  const servers = await serversOf(version);
  ok(await peers.do('computer', { url, name: computerName, office, servers }));
  return { url, kill: () => peers.kill() };
}
