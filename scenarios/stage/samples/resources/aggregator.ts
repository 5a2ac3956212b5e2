import type { AggregatorOrder } from '../../../../machines/resources/aggregator.machine.ts';
import type { System } from '../../../../machines/resources/systems/index.ts';
import type { OrdersOf, Sample } from '../sample.ts';

const uris: Readonly<Record<System, string>> = { desktop: 'window://h/a', finder: 'dpe://h/d' };

export const aggregator = (system: System): Sample => {
  const uri = uris[system];
  const question = { system, ticket: 't', reqId: 'r', history: [], replyTo: 'host' };
  const listed = {
    ...{ server: 's', session: 'client', changed: [], resources: [{ uri }] },
    ...{ isAwaited: false, failure: null },
  };
  return {
    input: { system },
    orders: {
      'aggregate.wanted': [
        { ...question, query: {} },
        { ...question, query: { fresh: true } },
      ],
      'resource.wanted': [
        { ...question, uri },
        { ...question, uri: `${uri}/other` },
      ],
      'resources.listed': [
        listed,
        { ...listed, isAwaited: true, resources: [] },
        { ...listed, server: 'late', isAwaited: true, resources: [] },
        { ...listed, failure: 'x' },
        { ...listed, resources: [{ uri: `${uri}2` }] },
        { ...listed, resources: [{ uri }], changed: [uri], isRenewed: true },
        { ...listed, upTo: 1_000 },
        { ...listed, resources: null },
      ],
      'resource.updated': [{ server: 's', uri }],
      'resources.watched': [{ server: 's', by: system, uris: [uri], isAnew: false }],
      close: [{}],
    } satisfies OrdersOf<AggregatorOrder>,
    owned: {
      shelf: {
        says: [
          {
            ...{ type: 'shelf.filled', server: 's', items: [], reason: null, refused: [] },
            ...{ changes: 1, isFresh: true },
            ...{ upTo: 1_000, isNews: true },
          },
        ],
      },
      read: {},
    },
    tellApart: (c) => {
      const shelves = Object.values(
        c.shelves as Record<string, { isFresh: boolean; isOpen: boolean; asked: number; given: number }>,
      );
      const questions = c.questions as { owed: unknown; isLate: boolean }[];
      const known = [c.awaited, Object.keys(c.unlisted as object), Math.min((c.held as unknown[]).length, 1)];
      return [
        shelves.map(({ isFresh, isOpen, asked, given }) => [isFresh, isOpen, asked > given]),
        questions.slice(0, 1).map(({ owed, isLate }) => [owed, isLate]),
        ...[c.isNews, known],
      ];
    },
    told: [{ type: 'question.late', n: 1 }],
  };
};
