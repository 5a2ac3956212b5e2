import { z } from 'zod';

/** A case that needs one which the hello does not name does not apply. */
export const features = ['status', 'timeout', 'cancel', 'http', 'idle', 'outcome'] as const;
export type Feature = (typeof features)[number];

export const helloSchema = z
  .object({
    hello: z.object({
      name: z.string().min(1).describe('Name of the host, as its users know it.'),
      version: z.string().min(1).describe('Version of the host.'),
      pid: z.int().min(1).describe('Process id of the host.'),
      can: z.array(z.enum(features)).describe('Features of the host.'),
    }),
  })
  .describe('First line of a driver.');
export type Hello = z.infer<typeof helloSchema>['hello'];

export const answerSchema = z
  .object({
    id: z.int().describe('Id of the order.'),
    ok: z.boolean().describe('Tells whether the host did it. A call whose tool reports an error is ok.'),
    error: z.string().optional().describe('Error in the words of the host.'),
    pid: z.int().optional().describe('To start: process id of the host, if it is not the one of the hello.'),
    text: z.string().optional().describe('To call: the first 300 characters of the text of the result.'),
    bytes: z.int().optional().describe('To call: length of the text of the result.'),
    isError: z.boolean().optional().describe('To call: isError of the result.'),
    outcome: z.enum(['succeeded', 'failed', 'unknown']).optional().describe('To call: with outcome in can.'),
    tools: z.array(z.string()).optional().describe('To tools: names of the tools.'),
    ready: z.array(z.string()).optional().describe('To status: names of the servers that are ready.'),
  })
  .describe('Answer of a driver to an order.');
export type Answer = z.infer<typeof answerSchema>;

const id = z.int().min(1);
const server = z.union([
  z.object({
    command: z.string(),
    args: z.array(z.string()),
    env: z
      .record(z.string(), z.string())
      .describe('To be in the environment of the server: it has the mark.'),
  }),
  z.object({ url: z.string().describe('Address of a server that speaks streamable HTTP.') }),
]);
export const orderSchema = z
  .discriminatedUnion('do', [
    z.object({
      id,
      do: z.literal('start'),
      servers: z.record(z.string(), server).describe('Servers by their names.'),
      idleMs: z.int().optional().describe('Limit in ms of the silence of a server during a call.'),
    }),
    z.object({
      id,
      do: z.literal('call'),
      server: z.string(),
      tool: z.string(),
      args: z.record(z.string(), z.unknown()),
      timeoutMs: z.int().optional().describe('Time limit of the call in ms.'),
      idleMs: z.int().optional().describe('Limit in ms of the silence of the server.'),
    }),
    z.object({ id, do: z.literal('cancel'), of: z.int().describe('Id of the order of the call.') }),
    z.object({ id, do: z.enum(['tools', 'status', 'stop']) }),
  ])
  .describe('Order to a driver.');

export const protocolSchema = (): object => ({
  ...z.toJSONSchema(z.union([orderSchema, helloSchema, answerSchema]), { io: 'input' }),
  title: 'A line between `a2c judge` and a driver',
});

export class DriverError extends Error {
  override readonly name = 'DriverError';
  readonly remedy = 'docs/judge.md describes a driver.';
}
