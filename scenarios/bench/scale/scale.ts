/**
 * How much one office carries, and what several nodes cost: `npm run bench:scale` writes docs/scale-measured.md. Everything runs on
 * this machine's loopback, for some two minutes. The part about nodes needs `redis-server` and `redis-cli`.
 */
import { writeFileSync } from 'node:fs';
import { build } from '../build.ts';
import type * as Measure from './measure.ts';

await build();
// @ts-expect-error: it is there only since a moment ago, and without types.
const { measured } = (await import('../dist/scenarios/bench/scale/measure.js')) as typeof Measure;
const page = await measured();
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(page);
else writeFileSync(file, page);
process.exit();
