import type { ProcessOrder } from '../../../machines/process/process.machine.ts';
import type { OrdersOf, Sample } from './sample.ts';

export const process: Sample = {
  input: { server: 's' },
  orders: { close: [{}], 'process.hurry': [{}] } satisfies OrdersOf<ProcessOrder>,
  leaves: {
    child: [
      { type: 'child.started', pid: 1 },
      { type: 'child.failed', message: 'no' },
      { type: 'child.exited', code: 0, signal: null, stderr: '', left: 0 },
      { type: 'child.exited', code: 1, signal: null, stderr: '', left: 2 },
      { type: 'group.emptied' },
    ],
  },
  passedThrough: ['died'],
};
