import { requestAnsweredOnce } from '../../invariants/resources/request-answered-once.invariant.ts';
import type { Plan, Step } from '../../stage/plan/plan.ts';
import { transfersEnd } from '../../stage/plan/virtual/transfers.ts';
import {
  doNothing,
  fromClearing,
  ignoredEvent,
  waitStep,
  withChart,
  withImplementations,
  type Mutant,
} from './mutant.ts';

/** Runs in which an agent puts a file after the other, more than a computer takes at once. */
const filling = (plan: Plan): Plan => ({
  ...plan,
  office: true,
  servers: [],
  shares: { landing: { idleMs: 1_000, isApproved: true } },
  steps: [
    waitStep(1_000),
    ...Array.from({ length: 6 }, (_, n): Step[] => [
      { do: 'put', ask: `file${n}`, bytes: 100 },
      waitStep(2_000),
    ]).flat(),
    ...fromClearing(plan).filter(({ do: what }) => what !== 'start'),
  ],
});
/** Runs in which an agent reads large contents of a computer that is well. */
const fetching = (plan: Plan): Plan => ({
  ...plan,
  office: true,
  servers: [],
  steps: [
    waitStep(1_000),
    ...['content1', 'content2'].map((ask): Step => ({ do: 'fetch', ask, bytes: 100 })),
    waitStep(30_000),
    ...fromClearing(plan).filter(({ do: what }) => what !== 'start'),
  ],
});
const receiving = ['states', 'receiving', 'states'] as const;

/** Mutants of the files, large contents and skills that a computer shares. */
export const mutantsOfShares: readonly Mutant[] = [
  {
    what: 'a computer that counts a file as under way when it has landed',
    finder: { invariant: transfersEnd },
    runs: filling,
    ...withImplementations('computer', { guards: { isUpload: () => false } }),
  },
  {
    what: 'an upload that waits for its next part for ever',
    finder: { story: 'a file whose parts stop coming has ended when they come again after the idle time' },
    ...withChart('upload', [[...receiving, 'idle', 'after'], doNothing]),
  },
  {
    what: 'an upload that takes a part from another place',
    finder: { story: 'parts that are declared wrong, out of order, too long or too many are refused' },
    ...withImplementations('upload', { guards: { isOutOfRange: () => false } }),
  },
  {
    what: 'an upload that a person refused, and that goes on all the same',
    finder: { story: 'no file is taken when a person is asked and deny comes' },
    ...withImplementations('upload', { guards: { isConfirmed: () => true } }),
  },
  {
    what: 'an upload that ends and forgets the parts that wait',
    finder: { story: 'a file whose disk breaks is refused, and lands when the disk is well' },
    ...withChart('upload', [['states', 'ended', 'entry'], doNothing]),
  },
  {
    what: 'an upload that begins again where it is asked for its place',
    finder: { story: 'a file whose parts stop coming for less than the idle time lands' },
    ...withImplementations('upload', { guards: { isResumption: () => false } }),
  },
  {
    what: 'a download that takes a wrong content for the right one',
    finder: { story: 'a content that is not what its hash says fails after its last part' },
    ...withChart('download', [['on', 'content.wrong', 'target'], () => '.read']),
  },
  {
    what: 'a download that gives up when nothing came once',
    finder: { story: 'a content whose parts stop coming goes on where it was when they come again' },
    ...withChart('download', [['states', 'resting', 'always'], () => ({ target: 'failed' })]),
  },
  {
    what: 'a computer that reads parts of large contents, and tells nobody',
    finder: { invariant: requestAnsweredOnce.invariant },
    runs: fetching,
    ...withChart(
      'blobs',
      ...['ask.answered', 'blob.overdue'].map(
        (type) => [['states', 'reading', 'on', type], ignoredEvent] as const,
      ),
    ),
  },
  {
    what: 'a computer that lets an agent wait for a part when its disk hangs',
    finder: { story: 'a disk that fails or hangs is told, and each question is answered' },
    ...withChart('blobs', [['states', 'reading', 'on', 'blob.overdue'], ignoredEvent]),
  },
  {
    what: 'a computer that does not look when its skill folders change',
    finder: { story: 'a skill folder that vanishes is empty, and has its skills when it is back' },
    ...withChart('skills', [['states', 'ready', 'states', 'steady', 'on', 'skills.look'], ignoredEvent]),
  },
  {
    what: 'an offer that waits for its server for ever',
    finder: { story: 'a server that does not give an entry keeps questions no longer than their time' },
    ...withChart('offer', [['states', 'reading', 'after'], doNothing]),
  },
  {
    what: 'an offer that does not read an entry again which its server calls changed',
    finder: {
      story: 'an entry that its server calls changed is read again, and one that a new list still has is not',
    },
    ...withImplementations('offer', { guards: { isEntry: () => false } }),
  },
];
