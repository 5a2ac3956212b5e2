import { bareClient, throughComputer } from './rows/calls.ts';
import type { Chain } from './rows/chain.ts';
import { endure } from './rows/endurance.ts';

/** So many calls through one chain, in a process of its own; says what its heap has grown by. */
const [, , which = '', count = ''] = process.argv;
const chains: Readonly<Record<string, () => Promise<Chain>>> = { bareClient, throughComputer };
const open = chains[which];
const { gc } = globalThis;
if (!open || !gc) throw new Error('heap-process: --expose-gc, the name of a chain and a number are wanted');
const chain = await open();
const endurance = await endure(chain, Number(count), () => void gc());
await chain.close();
process.stdout.write(`${JSON.stringify(endurance)}\n`);
