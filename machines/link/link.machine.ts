/**
 * Our seat in an office: one Socket.IO connection at a time, for a computer or an agent.
 *
 * online   — a connection exists: connecting → joining → joined{quiet | gathering} (changes of tools are
 *            gathered before they are announced) → leaving
 * waiting  — no connection; the next one is opened after the pause, a long one where the office has refused our version
 *            or our credential. Nothing is buffered meanwhile
 * closed   — final: left politely, or the leave was not answered in time
 *
 * Agents may call while our own join is still pending, so calls are taken in every state of `online`.
 */
import { type ActorRefFrom } from 'xstate';
import { aggregateAck, callAck, contentsAck, toolsAck } from './acks.ts';
import { leaving, repeated } from '../call/messages.ts';
import { configAs } from '../protocol/messages/computer-config.ts';
import { PROTOCOL_VERSION } from '../protocol/protocol.ts';
import * as does from './link.setup.ts';
import { answer, because, forgetAskers, parts, tell, tellStage } from './link.setup.ts';

export type {
  LinkStart,
  LinkOrder,
  LinkStage,
  LinkRefusal,
  ToolsListed,
  ToolsWanted,
  ConfigShown,
  ConfigWanted,
  LinkNews,
} from './link.setup.ts';

export const linkMachine = parts.createMachine({
  id: 'link',
  context: ({ input }) => ({
    ...input,
    marks: does.noMarks,
    announced: does.noMarks,
    reason: null,
    refusal: null,
    version: PROTOCOL_VERSION,
    isAdapted: false,
  }),
  initial: 'online',
  on: does.rememberChanges,
  states: {
    online: {
      invoke: {
        id: 'socket',
        src: 'link',
        input: does.socketOf,
      },
      exit: forgetAskers,
      initial: 'connecting',
      on: {
        'link.refused': does.refused,
        'link.down': { target: 'waiting', actions: because((e) => e.reason) },
        'join.refused': {
          target: 'waiting',
          actions: because(
            (e) => e.text,
            () => 'seat',
          ),
        },
        'agent.called': { actions: does.passCall },
        'agent.repeated': { actions: does.passRefused(repeated) },
        'agent.cancelled': {
          actions: tell((_, e) => ({
            type: 'call.cancel',
            ticket: e.ticket,
            reason: e.reason === undefined ? 'agent_requested' : does.whyCancelled[e.reason],
          })),
        },
        'agent.askedTools': {
          actions: tell((c, e) => ({
            type: 'tools.wanted',
            ticket: e.ticket,
            reqId: e.reqId,
            replyTo: c.self,
          })),
        },
        'agent.askedConfig': {
          actions: tell((c, e) => ({
            type: 'config.wanted',
            ticket: e.ticket,
            reqId: e.reqId,
            replyTo: c.self,
          })),
        },
        'agent.askedCollection': {
          actions: tell((c, { type: _, ...asked }) => ({
            ...asked,
            type: 'aggregate.wanted',
            isByAgent: true,
            replyTo: c.self,
          })),
        },
        'agent.askedResource': {
          actions: tell((c, { type: _, ...asked }) => ({
            ...asked,
            type: 'resource.wanted',
            isByAgent: true,
            replyTo: c.self,
          })),
        },
        'agent.left': { actions: forgetAskers },
        'call.settled': { actions: answer((e) => ({ ticket: e.ticket, body: callAck(e) })) },
        'call.progressed': { actions: { type: 'tellProgress', params: ({ event }) => event } },
        'tools.listed': {
          actions: [
            answer((e) => ({ ticket: e.ticket, body: toolsAck(e.tools, e.reqId) })),
            { type: 'rememberAnswered', params: ({ event }) => event },
          ],
        },
        'aggregate.shown': { actions: answer((e) => ({ ticket: e.ticket, body: aggregateAck(e) })) },
        'resource.read': { actions: answer((e) => ({ ticket: e.ticket, body: contentsAck(e) })) },
        'config.shown': {
          actions: answer((e, c) => ({ ticket: e.ticket, body: configAs(c.version, e.config) })),
        },
        ...does.passNews,
        close: '.leaving',
      },
      states: {
        connecting: {
          tags: 'connecting',
          entry: tellStage('connecting'),
          on: { 'link.up': 'joining', close: '#link.closed' },
          after: {
            linkTimeout: { target: '#link.waiting', actions: because(() => 'no connection in time') },
          },
        },
        joining: {
          tags: 'connecting',
          entry: 'join',
          on: { 'join.accepted': { target: 'joined', actions: ['rememberFirst', 'forgetReason'] } },
          after: {
            linkTimeout: { target: '#link.waiting', actions: because(() => 'no answer to the join in time') },
          },
        },
        joined: {
          tags: 'ready',
          entry: tellStage('joined'),
          /** Those whose source has gathered them. What changed before is told like the others. */
          on: does.announceChanges,
          initial: 'quiet',
          states: {
            quiet: { always: { guard: 'isNews', target: 'gathering' } },
            /** Quiet for a while, or long enough without: then one announcement, if there still is news. */
            gathering: {
              tags: 'refreshing',
              initial: 'listening',
              after: { longestQuiet: 'announcing' },
              states: {
                listening: {
                  after: { quiet: '#link.online.joined.announcing' },
                  on: does.gatherChanges,
                },
              },
            },
            announcing: {
              tags: 'refreshing',
              always: [...does.announceNews, { target: 'quiet' }],
            },
          },
        },
        leaving: {
          tags: 'closing',
          entry: [does.cancelAskers, 'leave'],
          on: {
            'agent.called': { actions: does.passRefused(leaving) },
            'leave.done': '#link.closed',
            'link.down': '#link.closed',
            'join.refused': {},
            close: {},
          },
          after: { linkTimeout: '#link.closed' },
        },
      },
    },
    waiting: {
      tags: 'connecting',
      // By chance up to half as long again: not everybody comes back to an office in the same instant.
      entry: [
        tellStage('waiting'),
        {
          type: 'setDeadline',
          params: ({ context }) => ({ ms: does.pauseMs(context), for: 'linkBackoff', spread: 0.5 }),
        },
      ],
      on: { 'deadline.passed': 'online', close: 'closed' },
    },
    closed: { type: 'final', entry: tellStage('closed') },
  },
});
export type LinkRef = ActorRefFrom<typeof linkMachine>;
