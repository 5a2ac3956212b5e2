/**
 * Our office and those of the Python SDK under the same load, one after the other in one run: an agent and a computer that are
 * bare sockets in this process, the office in a process of its own. Writes latency, throughput and CPU per call as Markdown
 * to stdout, or to the file that is named. It takes the SDK from PyPI.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { io, type Socket } from 'socket.io-client';
import { pythonOf } from '../../fixtures/python-peers.ts';
import { startHost, type StartedHost } from '../../fixtures/started-host.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const [oneByOne, atOnce, together] = [500, 20_000, 64];
/** Of `/proc/PID/stat`: a clock tick has 10 ms. */
const msPerTick = 10;
const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
};

interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly perSecond: number;
  readonly cpuMsPerCall: number;
}
async function seated(url: string, version: string, role: string, name: string): Promise<Socket> {
  const socket = io(`${url}/smcp?a2c_version=${version}`, { forceNew: true, transports: ['websocket'] });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  await new Promise((resolve) => socket.emit('server:join_office', { role, name, office_id: 'o' }, resolve));
  return socket;
}

async function measured(name: string, version: string, office: StartedHost): Promise<Measured> {
  const [agent, computer] = await Promise.all([
    seated(office.url, version, 'agent', 'a'),
    seated(office.url, version, 'computer', 'c'),
  ]);
  const result = {
    content: [{ type: 'text', text: 'hi' }],
    isError: false,
    meta: null,
    structuredContent: null,
  };
  computer.on('client:tool_call', (_call: unknown, ack: (body: object) => void) => ack(result));
  let calls = 0;
  const call = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const params = { text: 'hi' };
      const req = {
        agent: 'a',
        req_id: `r${calls++}`,
        computer: 'c',
        tool_name: 'echo',
        params,
        timeout: 60,
      };
      agent.emit('client:tool_call', req, (answer: { readonly content?: unknown }) => {
        // An office that answers by itself has relayed nothing.
        if (JSON.stringify(answer?.content) === JSON.stringify(result.content)) resolve(answer);
        else reject(new Error(`${name} answered ${JSON.stringify(answer)}`));
      });
    });
  for (let i = 0; i < oneByOne / 5; i++) await call();
  const times: number[] = [];
  for (let i = 0; i < oneByOne; i++) {
    const since = performance.now();
    await call();
    times.push(performance.now() - since);
  }
  const [cpu, since] = [cpuMs(office.pid), performance.now()];
  let left = atOnce;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: together }, worker));
  const [ms, used] = [performance.now() - since, cpuMs(office.pid) - cpu];
  for (const socket of [agent, computer]) socket.disconnect();
  return {
    name,
    medianMs: times.toSorted((a, b) => a - b)[oneByOne / 2] ?? NaN,
    perSecond: (atOnce / ms) * 1_000,
    cpuMsPerCall: used / atOnce,
  };
}

const ours = (): Promise<StartedHost> =>
  startHost(process.execPath, [
    `${root}/dist/actors/main.js`,
    'office',
    '--port',
    '0',
    '--open',
    '--no-inspect',
    // Theirs has no limits: each event is held against ours, and none is refused.
    ...['eventsPerSocket', 'eventsPerOffice', 'events'].flatMap((name) => ['--limit', `${name}=1000000`]),
  ]);
const theirs = async (version: string): Promise<StartedHost> =>
  startHost(await pythonOf(version), [`${root}/scenarios/interop/office.py`]);
const offices = [
  ['ours', '0.2.0', ours],
  ['a2c-smcp 0.1.6', '0.1.0', () => theirs('0.1.6')],
  ['a2c-smcp 0.4.2', '0.4.0', () => theirs('0.4.2')],
] as const;

const rows: Measured[] = [];
for (const [name, version, open] of offices) {
  const office = await open();
  try {
    rows.push(await measured(name, version, office));
  } finally {
    await office.kill();
  }
}
const [first] = rows;
const ratio = (value: number, of: number | undefined): string => (of ? (value / of).toFixed(1) : '?');
const page = [
  '# Offices side by side',
  '',
  `Made by \`npm run bench:office\` on Node ${process.versions.node} and ${availableParallelism()} cores: an agent and a computer that are bare sockets, and calls that are answered at once. Latency is the median of ${oneByOne} calls one after the other; throughput and CPU of the office process are of ${atOnce} calls, ${together} in flight. Figures of other machines differ; the ratios to our office are what counts.`,
  '',
  '| office | latency, ms | × ours | calls per second | CPU per call, ms | × ours |',
  '|---|---|---|---|---|---|',
  ...rows.map(
    ({ name, medianMs, perSecond, cpuMsPerCall }) =>
      `| ${name} | ${medianMs.toFixed(2)} | ${ratio(medianMs, first?.medianMs)} | ${Math.round(perSecond)} | ${cpuMsPerCall.toFixed(2)} | ${ratio(cpuMsPerCall, first?.cpuMsPerCall)} |`,
  ),
  '',
].join('\n');
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(page);
else writeFileSync(file, page);
