import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server, type Socket } from 'socket.io';
import { io, type Socket as ClientSocket } from 'socket.io-client';
import { echoed, textOf, type Chain } from '../chain.ts';

/** No example: written by hand as the yardstick, it hangs and leaks when something fails. */

interface Seat {
  role: string;
  name: string;
  office_id: string;
}
interface Call {
  computer: string;
  tool_name: string;
  params: { text: string };
  timeout: number;
}
type Ack = (...answer: unknown[]) => void;
type Tool = (call: Call) => Promise<object>;

interface Office {
  /** URL of the office, with the namespace. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function startOffice(): Promise<Office> {
  const http = createServer();
  const server = new Server(http, { transports: ['websocket'], serveClient: false });
  const computers = new Map<string, Socket>();
  server.of('/smcp').on('connection', (socket) => {
    let office = '';
    socket.on('server:join_office', async (seat: Seat, ack: Ack) => {
      office = seat.office_id;
      if (seat.role === 'computer') computers.set(`${office}/${seat.name}`, socket);
      await socket.join(office);
      ack(true, null);
      socket.to(office).emit('notify:enter_office', { office_id: office, [seat.role]: seat.name });
    });
    socket.on('client:tool_call', (call: Call, ack: Ack) => {
      computers
        .get(`${office}/${call.computer}`)
        ?.timeout(call.timeout * 1000)
        .emit('client:tool_call', call, (late: Error | null, result: unknown) => ack(late ? null : result));
    });
  });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/smcp`, close: () => server.close() };
}

export async function takeSeat(url: string, seat: Seat): Promise<ClientSocket> {
  const socket = io(url, { transports: ['websocket'], forceNew: true });
  await socket.emitWithAck('server:join_office', seat);
  return socket;
}

async function startComputer(url: string, tool: Tool, office_id: string): Promise<ClientSocket> {
  const socket = await takeSeat(url, { role: 'computer', name: 'desk', office_id });
  socket.on('client:tool_call', async (call: Call, ack: Ack) => ack(await tool(call)));
  return socket;
}

interface Answerer {
  readonly tool: Tool;
  readonly close: () => Promise<void>;
}

async function startServer(): Promise<Answerer> {
  const script = fileURLToPath(new URL('echo-server.mjs', import.meta.url));
  const transport = new StdioClientTransport({ command: process.execPath, args: [script] });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  const tool: Tool = ({ tool_name: name, params, timeout }) =>
    client.callTool({ name, arguments: params }, undefined, { timeout: timeout * 1000 });
  return { tool, close: () => client.close() };
}

interface Where {
  readonly office?: string;
  /** Another node of the same office; by default all are at one. */
  readonly computerAt?: Pick<Office, 'url'>;
}
async function startChain(
  office: Office,
  { tool, close }: Answerer,
  { office: office_id = 'bench', computerAt = office }: Where = {},
): Promise<Chain> {
  const computer = await startComputer(computerAt.url, tool, office_id);
  const agent = await takeSeat(office.url, { role: 'agent', name: 'asker', office_id });
  return {
    call: async (n) => {
      const params = { text: textOf(n) };
      const call = {
        agent: 'asker',
        computer: 'desk',
        req_id: `r${n}`,
        tool_name: 'echo',
        params,
        timeout: 60,
      };
      return echoed(await agent.emitWithAck('client:tool_call', call));
    },
    close: async () => {
      agent.disconnect();
      computer.disconnect();
      await office.close();
      await close();
    },
  };
}

export async function baselineFull(): Promise<Chain> {
  return startChain(await startOffice(), await startServer());
}

/** The computer answers by itself, so that only the relay differs. */
export const relayChain = (office: Office, where: Where = {}): Promise<Chain> =>
  startChain(
    office,
    {
      tool: async ({ params }) => ({ content: [{ type: 'text', text: params.text }] }),
      close: async () => {},
    },
    where,
  );
