import { calls, cpuMsOf } from '../../measure.ts';
import { bareClient, throughComputer } from './calls.ts';
import type { Cold } from './cold.ts';

const chain = await (process.argv[2] === 'bare' ? bareClient() : throughComputer());
const first = await cpuMsOf(() => calls(chain, 1));
const others = await cpuMsOf(() => calls(chain, 999));
const cold: Cold = { first, thousand: first + others };
process.send?.(cold, undefined, undefined, () => process.exit());
