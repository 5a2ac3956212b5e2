import { factLine, type Fact } from '../../../machines/facts.ts';
import type { Computer, ComputerEvents } from '../../api/computer-handle.ts';
import type { Call, CallOutcome } from '../../api/pending-calls.ts';
import { inOneLine } from './contents.ts';
import type { CommandContext } from '../context.ts';

type Progress = ComputerEvents['call.progress'];
const cells = 20;
const messageWidth = 80;

/** `copy [=====>              ] 3/10 third file`; where its server does not know how far it is, `copy 3 third file`. */
export function progressLine({
  tool,
  progress,
  total,
  message = '',
}: Pick<Progress, 'tool' | 'progress' | 'total' | 'message'>): string {
  const words = [inOneLine(tool, messageWidth)];
  if (total !== undefined && total > 0) {
    const done = Math.round(cells * Math.min(1, Math.max(0, progress / total)));
    const bar = done === cells ? '='.repeat(cells) : `${'='.repeat(done)}>`.padEnd(cells);
    words.push(`[${bar}]`, `${progress}/${total}`);
  } else words.push(String(progress));
  return [...words, inOneLine(message, messageWidth)].join(' ').trimEnd();
}
export const progressFact = ({ reqId, ...told }: Progress): Fact => ({
  type: 'call_progress',
  req_id: reqId,
  ...told,
});

/** Tool that is called, and its server; for the call of an agent `server` is the computer. */
interface Called {
  readonly server: string;
  readonly tool: string;
}
/** Finds a call of a computer while it runs. */
export const calledOf =
  (computer: Pick<Computer, 'calls'>) =>
  (reqId: string): Called =>
    computer.calls().find((one) => one.reqId === reqId) ?? { server: '', tool: '' };

/** Waits for a call. What it tells is shown where a person reads along, and told to programs by `tell`. */
export async function shown(
  { terminal }: CommandContext,
  call: Call,
  calledBy: (reqId: string) => Called,
  tell: (progress: Progress) => void,
): Promise<CallOutcome> {
  const { reqId } = call;
  call.on('progress', (told) => {
    const { server, tool } = calledBy(reqId);
    terminal.meter(progressLine({ tool, ...told }));
    tell({ reqId, server, tool, ...told });
  });
  const outcome = await call;
  terminal.meter(null);
  return outcome;
}
/** For programs, on stderr: stdout has the result and nothing else. */
export const progressTold =
  ({ terminal }: CommandContext, { facts = false }: { readonly facts?: boolean }) =>
  (told: Progress): void => {
    if (facts || !terminal.isWatched) terminal.line(factLine(progressFact(told)), 'err');
  };
