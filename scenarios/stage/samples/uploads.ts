import { addressFor } from '../../../machines/kernel/effects.ts';
import type { PartTaken, UploadOrder } from '../../../machines/uploads/upload.rules.ts';
import { refusals, type OrdersOf, type Sample } from './sample.ts';

export const landing = { idleMs: 1_000, isApproved: false } as const;
export const part = {
  ticket: 't',
  reqId: 'r',
  agent: 'a',
  upload: 'u',
  offset: 0,
  bytes: 1,
  isLast: false,
  declared: { bytes: 2, sha256: 'a' },
  replyTo: addressFor<PartTaken>('host'),
} as const;
const laterParts = [
  { ...part, offset: 1, isLast: true },
  { ...part, offset: 5 },
].map(({ declared: _, ...later }) => later);
export const upload: Sample = {
  input: {
    upload: 'u',
    declared: part.declared,
    landing,
    confirmMs: 1,
    first: { type: 'part.wanted', ...part },
  },
  orders: {
    close: [{}],
    'part.wanted': [
      part,
      ...laterParts,
      { ...part, resumes: true },
      { ...part, bytes: 9 },
      { ...part, bytes: 0 },
    ],
  } satisfies OrdersOf<UploadOrder>,
  answers: [
    { type: 'ask.began' },
    ...[
      { kind: 'written', decision: 'allow' },
      { kind: 'landed', path: '/p', decision: 'ask' },
      { kind: 'gone', decision: 'deny' },
      { kind: 'refused', reason: 'io_error', message: 'x' },
    ].map((result) => ({ type: 'ask.answered', result })),
    ...refusals.slice(0, 1),
  ],
  tellApart: (c) => [
    c['received'],
    (c['parts'] as { offset: number; isLast: boolean; bytes: number }[])
      .slice(0, 2)
      .map(({ offset, isLast, bytes }) => [offset, isLast, bytes]),
    (c['parts'] as unknown[]).length,
    c['path'],
  ],
  passedThrough: ['receiving.next'],
};
