import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent, createComputer } from '../../actors/index.ts';
import { takeSeat } from './baseline/chain.ts';
import { answerLines } from './lines.ts';

/**
 * Runs an agent or a computer of the row `blobs` in a process of its own, `ours` or a bare loop. An agent moves one
 * file for each line, `down` or `up`, and says how long that took. The folder has the file as one of a skill, and the
 * folder `landed`.
 */
const [, , whose = '', side = '', url = '', folder = ''] = process.argv;
const [office, partBytes] = ['bench', 256 * 1024];
const file = join(folder, 'skills', 'big', 'model.bin');
const landed = join(folder, 'landed');

interface Peer {
  readonly down: () => Promise<number>;
  readonly up: () => Promise<void>;
  readonly close: () => Promise<unknown>;
}
const none = async (): Promise<never> => {
  throw new Error('a computer is not asked');
};

async function readPart(from: FileHandle, offset: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(partBytes);
  const { bytesRead } = await from.read(part, 0, partBytes, offset);
  return part.subarray(0, bytesRead);
}

// ── ours ──────────────────────────────────────────────────────────────────────────────────────────────
const origin = (): string => new URL(url).origin;
async function ourComputer(): Promise<Peer> {
  const landing = { folder: landed, autoApprove: true, maxFileBytes: 2 ** 30 };
  const computer = await createComputer({
    name: 'desk',
    config: { mcpServers: {}, a2c: { skills: [join(folder, 'skills')], landing } },
    office: { url: origin(), id: office },
    stateDir: false,
  });
  return { down: none, up: none, close: () => computer.close() };
}
async function ourAgent(): Promise<Peer> {
  const agent = await createAgent({ url: origin(), name: 'asker', office });
  // The computer hashes the file when it is first asked for, which is no part of a transfer.
  const { blobHandle } = await agent.skill('desk', 'big', { path: 'model.bin' });
  if (blobHandle === undefined || blobHandle === null) throw new Error('the file came without a handle');
  return {
    down: async () => {
      let bytes = 0;
      for await (const part of agent.blob('desk', blobHandle)) bytes += part.length;
      return bytes;
    },
    up: async () => void (await agent.putFile('desk', file)),
    close: () => agent.close(),
  };
}

// ── a bare loop ───────────────────────────────────────────────────────────────────────────────────────
interface Part {
  readonly offset: number;
  readonly blob: string;
}
interface Question {
  readonly tool_name: string;
  readonly params: Part;
}
async function bareComputer(): Promise<Peer> {
  const socket = await takeSeat(url, { role: 'computer', name: 'desk', office_id: office });
  const source = await open(file);
  let target: FileHandle | undefined;
  const answer = async ({ tool_name: wanted, params: { offset, blob } }: Question): Promise<object> => {
    if (wanted === 'get') return { blob: (await readPart(source, offset)).toString('base64') };
    target ??= await open(join(landed, 'bare'), 'w');
    const bytes = Buffer.from(blob, 'base64');
    await target.write(bytes, 0, bytes.length, offset);
    if (bytes.length > 0) return {};
    await target.close();
    target = undefined;
    return {};
  };
  socket.on('client:tool_call', async (question: Question, ack: (said: object) => void) =>
    ack(await answer(question)),
  );
  return { down: none, up: none, close: async () => socket.disconnect() };
}
async function bareAgent(): Promise<Peer> {
  const socket = await takeSeat(url, { role: 'agent', name: 'asker', office_id: office });
  const ask = async (tool_name: string, params: Part): Promise<Partial<Part>> => {
    const about = { computer: 'desk', tool_name, params, timeout: 60 };
    return (await socket.emitWithAck('client:tool_call', about)) as Partial<Part>;
  };
  return {
    down: async () => {
      let offset = 0;
      for (;;) {
        const { blob = '' } = await ask('get', { offset, blob: '' });
        if (blob === '') return offset;
        offset += Buffer.from(blob, 'base64').length;
      }
    },
    up: async () => {
      const source = await open(file);
      let offset = 0;
      for (;;) {
        const part = await readPart(source, offset);
        await ask('put', { offset, blob: part.toString('base64') });
        if (part.length === 0) break;
        offset += part.length;
      }
      await source.close();
    },
    close: async () => socket.disconnect(),
  };
}

const isOurs = whose === 'ours';
const openings = side === 'agent' ? [ourAgent, bareAgent] : [ourComputer, bareComputer];
const peer = await (openings[isOurs ? 0 : 1] as () => Promise<Peer>)();
answerLines(
  {},
  async (line) => {
    if (line === '') return {};
    const start = performance.now();
    const bytes = line === 'down' ? await peer.down() : await peer.up();
    return { ms: performance.now() - start, bytes };
  },
  peer.close,
);
