import { fileURLToPath } from 'node:url';
import { createAgent } from '../../actors/api/agent.ts';
import type { Agent } from '../../actors/api/agent-handle.ts';
import type { Computer } from '../../actors/api/computer-handle.ts';
import { createComputer } from '../../actors/api/computer.ts';
import { createOffice } from '../../actors/api/office.ts';
import type { Office } from '../../actors/api/office-handle.ts';
import { Runtime } from '../../actors/api/runtime.ts';
import { Tap } from '../../actors/runtime/directory.ts';
import { parseConfig } from '../../machines/config/parse.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { timing } from '../../machines/kernel/timing.ts';

const faultServer = fileURLToPath(new URL('../fault-server/fault-server.mjs', import.meta.url));

const hurried = {
  ...timing,
  backoffMs: 150,
  drainMs: 100,
  stdinGraceMs: 100,
  termGraceMs: 150,
  killGraceMs: 500,
  provenStableMs: 2_000,
  linkBackoffMs: 200,
  quietMs: 50,
  longestQuietMs: 300,
  exitGraceMs: 50,
};
export interface WorldOptions {
  /** Folder of the recordings. */
  readonly dir: string;
  readonly profile: Profile;
  /** Configs of fault servers by name. */
  readonly servers: Readonly<Record<string, object>>;
}
/** Office, computer and agent in one process with real servers, real sockets and one recording of them all. */
export class World implements AsyncDisposable {
  readonly runtime: Runtime;
  readonly computer: Computer;
  readonly agent: Agent;
  #office: Office;
  readonly #pids: ReadonlyMap<string, number>;

  private constructor(
    runtime: Runtime,
    office: Office,
    computer: Computer,
    agent: Agent,
    pids: ReadonlyMap<string, number>,
  ) {
    this.runtime = runtime;
    this.#office = office;
    this.computer = computer;
    this.agent = agent;
    this.#pids = pids;
  }
  static async open({ dir, profile, servers }: WorldOptions): Promise<World> {
    const tap = new Tap();
    const runtime = new Runtime({ tap, reaper: true, stateDir: false, record: { dir, profile } });
    const office = await createOffice({ port: 0 }, runtime);
    const config = parseConfig({
      mcpServers: Object.fromEntries(
        Object.entries(servers).map(([name, told]) => [
          name,
          {
            command: process.execPath,
            args: [faultServer, JSON.stringify({ name, ...told })],
            default_tool_meta: { auto_apply: true },
          },
        ]),
      ),
    });
    if (!config.ok) throw new Error(JSON.stringify(config.mistakes));
    const seat = { url: office.url };
    const options = { name: 'c1', office: seat, timing: hurried };
    const pids = new Map<string, number>();
    tap.add({ record: (record) => noteIn(pids, record) });
    const computer = await createComputer(options, { runtime, config: config.config });
    const agent = await createAgent({ url: office.url, timing: hurried }, runtime);
    return new World(runtime, office, computer, agent, pids);
  }
  /** Kills a server from outside the host. */
  kill(server: string, signal: NodeJS.Signals): void {
    const pid = this.#pids.get(server);
    if (pid !== undefined) process.kill(pid, signal);
  }
  /** Closes the office and opens another one at the same address. */
  async restartOffice(): Promise<void> {
    const { port } = this.#office;
    await this.#office.close();
    this.#office = await createOffice({ port }, this.runtime);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent.close();
    await this.computer.close();
    await this.#office.close();
    await this.runtime.close();
  }
}
/** `computer/client:fs/connection/process#1/process#1` is a child of `fs`. */
function noteIn(pids: Map<string, number>, record: DirectoryRecord): void {
  if (record.k !== 'in' || record.ev === undefined) return;
  const server = /client:([^/#]+)\/connection\/process/.exec(record.a)?.[1];
  if (server === undefined) return;
  if (record.ev.type === 'child.started') pids.set(server, (record.ev as unknown as { pid: number }).pid);
  if (record.ev.type === 'child.exited') pids.delete(server);
}
