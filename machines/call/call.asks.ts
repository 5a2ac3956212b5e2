/** What a call asks of whom, and what it tells: of its ports, its server, its client and its computer. */
import { handleOf, isOverBudget, isRefusedByTool, type CallRequest } from './policy/index.ts';
import { post } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { progressOf } from '../protocol/messages/progress.ts';
import { callerOf } from './call-request.ts';
import type { Context } from './call.setup.ts';
import type { CallPhase } from './settlement.ts';

const request = (c: Context): CallRequest => ({
  reqId: c.reqId,
  agent: c.agent,
  server: c.server,
  tool: c.tool,
  params: c.params,
  meta: c.policy?.meta ?? null,
});
const port = <More extends object>(name: string, method: string, more: (c: Context) => More) =>
  ({
    type: 'request',
    params: ({ context: c }: { context: Context }) => ({
      id: name,
      target: name,
      method,
      params: { ...request(c), ...more(c) },
    }),
  }) as const;
/** Are its arguments right, and may it run? */
export const askPolicy = port('policy', 'judge', () => ({}));
export const askPerson = port('confirm', 'confirm', () => ({}));
export const askFinish = port('finish', 'finish', (c) => ({
  result: c.result,
  keepAs: isOverBudget(c, c.result) ? handleOf(c) : null,
  isError: isRefusedByTool(c.result),
  ...(c.digits && { digits: c.digits }),
}));
export const enter = (phase: CallPhase) => ({ type: 'enter', params: { phase } }) as const;
export const send = [
  enter('running'),
  {
    type: 'request',
    params: ({ context: c }: { context: Context }) => {
      const { target, method, params } = c.request;
      return c.policy
        ? { id: 'call', target, method, params, limiter: c.server }
        : { id: 'call', target, method, params };
    },
  },
] as const;
export const wantServer = {
  type: 'postAll',
  params: ({ context: c }: { context: Context }) => ({
    messages: c.isPending ? [post(c.owner, { type: 'server.wanted' })] : [],
  }),
} as const;
type Progressed = Extract<RequestFact, { type: 'ask.progress' }>;
export const tellProgress = {
  type: 'postAll',
  params: ({
    context: { ticket, replyTo, wantsProgress },
    event,
  }: {
    context: Context;
    event: Progressed;
  }) => {
    const told = { type: 'call.progressed', ticket, ...progressOf(event) } as const;
    return { messages: wantsProgress === true ? [post(replyTo, told, { optional: true })] : [] };
  },
} as const;
export const takeBack = { type: 'cancel', params: { id: 'call' } } as const;
/** Who has it is told, and answers the call itself. */
export const askBack = {
  type: 'request',
  params: ({ context: { request: asked, withdrawal } }: { context: Context }) => ({
    id: 'withdrawal',
    target: asked.target,
    method: withdrawal?.method ?? '',
    params: withdrawal?.params,
  }),
} as const;
export const tellApproved = {
  type: 'post',
  params: ({ context: c }: { context: Context }) =>
    post(
      c.keeper,
      {
        type: 'tool.approved',
        server: c.server,
        tool: c.tool,
        generation: c.policy?.generation ?? 0,
        caller: callerOf(c),
      },
      { optional: true },
    ),
} as const;
