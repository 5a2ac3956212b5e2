/**
 * Questions about all servers while these start: kept until each has come up or has failed once, `toolsMs` at most, so
 * that the first answer has what is there a moment later.
 */
import type { ComputerContext, Question } from './computer.events.ts';
import { isTrying } from './computer.rules.ts';
import { mostWaiting } from './computer.waiting.ts';
import { refusal } from './computer.collections.ts';
import { message, type CheckedMessage } from '../kernel/effects.ts';
import type { ResourceWanted } from '../resources/aggregator.events.ts';

/** A resource whose server is known waits for no other server. */
const isKnown = (c: ComputerContext, { uri, server }: Omit<ResourceWanted, 'history'>): boolean =>
  server === undefined
    ? Object.values(c.resources).some((listed) => listed.some((resource) => resource.uri === uri))
    : !isTrying(c.stages[server]);
export const mustKeep = (c: ComputerContext, question: Question): boolean =>
  c.asked !== null &&
  c.asked.length < mostWaiting &&
  !(question.type === 'resource.wanted' && isKnown(c, question));
export const kept = (c: ComputerContext, question: Question): Partial<ComputerContext> => ({
  asked: [...(c.asked ?? []), question],
});
/** The computer closes before they were taken. */
export const refusedOf = (c: ComputerContext): CheckedMessage[] =>
  (c.asked ?? []).map((question) => {
    if (question.type !== 'tools.wanted') return refusal(question);
    const { ticket, reqId, replyTo } = question;
    return message(replyTo, {
      type: 'tools.listed',
      ticket,
      reqId,
      tools: c.offered,
      signature: c.signature,
    });
  });
