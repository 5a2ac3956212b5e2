import type { Collection } from '../../../machines/agent/collections.ts';
import type { ViewOrder } from '../../../machines/agent/view.machine.ts';
import { answers, type OrdersOf, type Sample } from './sample.ts';

const document = (n: number) => ({
  doc_ref: `${n}`,
  uri: `dpe://h/${n}`,
  file_uri: `file:///${n}`,
  file_type: 'md',
  title: `${n}`,
  page_count: 1,
  server: 's',
});
/** Of a Finder a page of two, which one more belongs to. */
const bodies: Readonly<Record<Collection, readonly object[]>> = {
  tools: [{ tools: [] }],
  desktop: [{ desktops: ['window://h/a'] }],
  finder: [
    { documents: [document(1), document(2)], total_count: 3 },
    { documents: [document(3)], total_count: 3 },
    { documents: [], total_count: 0 },
  ],
};

/** An answer belongs to its question by `req_id`: the first few of them can be answered right. */
export const view = (collection: Collection): Sample => ({
  input: { computer: 'c', agent: 'a', collection, link: 'l' },
  orders: { 'view.refresh': [{}], 'view.wake': [{}], close: [{}] } satisfies OrdersOf<ViewOrder>,
  answers: [
    ...answers,
    ...[1, 2, 3].flatMap((n) =>
      bodies[collection].map((body) => ({
        type: 'ask.answered',
        result: { ...body, req_id: `${collection}.c.${n}` },
      })),
    ),
  ],
  tellApart: (c) => [
    Math.min(c.asked as number, 4),
    (c.gathered as { readonly pages: number } | null)?.pages,
    Math.min(c.failures as number, 3),
  ],
  // Tools are asked for as long as their computer is there.
  passedThrough: collection === 'tools' ? ['refused', 'standby'] : ['refused'],
});
