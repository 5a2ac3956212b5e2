/**
 * How a client comes to a login: its server wants one, and had none or one that is no longer good. The chart is in
 * client.machine.ts. No call waits here, for nobody knows how long a person takes.
 */
import * as does from './client.effects.ts';
import { eventAsParams, goal, news, takePlan } from './client.effects.ts';
import { parts } from './client.setup.ts';
import type { ClientPlan, Context } from './client.events.ts';
import { loginPort, type LogIn } from './spec-port.ts';
import { waitsForLogin } from '../process/server-failure.ts';

const askLogin = {
  type: 'request',
  params: ({ context: { server } }: { context: Context }) => ({
    id: 'login',
    target: loginPort,
    method: 'login',
    params: { server } satisfies LogIn,
  }),
} as const;
const otherValues = {
  type: 'hasOtherValues',
  params: ({ event }: { event: { readonly plan: ClientPlan } }) => event,
} as const;
const answers = {
  'ask.answered': '#client.resolving',
  'ask.refused': {
    target: '#client.login.refused',
    actions: { type: 'rememberFailure', params: eventAsParams },
  },
  'call.request': { actions: does.refuse('unauthorized') },
  'server.start': {},
} as const;

export const login = parts.createStateConfig({
  tags: 'connecting',
  entry: askLogin,
  exit: { type: 'cancel', params: { id: 'login' } },
  on: {
    'server.stop': { target: '#client.idle', actions: goal('stop') },
    'server.update': [
      { guard: otherValues, target: '#client.resolving', actions: takePlan },
      { actions: takePlan },
    ],
    close: { target: '#client.closed', actions: goal('end') },
  },
  initial: 'authorizing',
  states: {
    /** The port works on it: without a person where it can. */
    authorizing: {
      entry: news('authorizing'),
      on: {
        ...answers,
        'ask.progress': {
          target: 'unauthorized',
          actions: {
            type: 'rememberFailure',
            params: ({ context, event }) => ({ failure: waitsForLogin(context.server, event.message) }),
          },
        },
      },
    },
    /** A person is shown a page, and takes the time that it takes. */
    unauthorized: {
      entry: news('unauthorized'),
      on: { ...answers, 'ask.began': 'authorizing' },
    },
    /** Nobody can be asked, or the login failed. Wanted again it connects with what is there by then. */
    refused: {
      entry: news('unauthorized'),
      on: {
        'call.request': { actions: does.refuse('unauthorized') },
        'server.start': { target: '#client.resolving', actions: 'resetAttempts' },
      },
    },
  },
});
