import { readFileSync } from 'node:fs';
import { VirtualWorld } from './scenarios/dsl/virtual-world.ts';
import { Acting } from './scenarios/dsl/acting.ts';
const plan = readFileSync('/tmp/wE/plans.ndjson', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((l) => JSON.parse(l))
  .find((p) => p.title.startsWith(process.argv[2]));
const w = new VirtualWorld(plan);
for (const wait of new Acting(plan, w).run()) {
  if ('ms' in wait) w.stage.clock.advance(wait.ms);
  else while (!wait.until()) if (!w.stage.clock.step(1e9)) break;
}
for (const { at, record: r } of w.stage.seen)
  console.log(at, JSON.stringify(r).slice(0, +(process.argv[3] ?? 300)));
