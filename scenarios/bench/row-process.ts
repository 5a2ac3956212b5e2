import type { RowMessage } from './play.ts';
import type { Plan } from './row.ts';
import { rows } from './rows.ts';

const [, , name = '', plan = ''] = process.argv;
const say = (said: RowMessage): Promise<void> =>
  new Promise((resolve) => void process.send?.(said, undefined, undefined, () => resolve()));
process.once('disconnect', () => process.exit());
try {
  const row = rows.find((each) => each.name === name);
  if (!row) throw new Error(`no row is called ${name}`);
  await row.measure(JSON.parse(plan) as Plan, (figure) => void say({ figure }));
  await say({ done: true });
} catch (error) {
  await say({ failed: error instanceof Error ? error.message : String(error) });
}
