import { factLine, type Fact } from '../../../machines/facts.ts';
import type { ComputerEvents } from '../../api/computer-handle.ts';
import type { CallOutcome, WatchedCall } from '../../api/call-outcome.ts';
import { inOneLine } from './contents.ts';
import type { CommandContext } from '../context.ts';

type Progress = ComputerEvents['call.progress'];
const messageWidth = 80;

/** Such as `copy 3/10 third file`, or `copy 3 third file` when the total is unknown. */
export function progressLine({
  tool,
  progress,
  total,
  message = '',
}: Pick<Progress, 'tool' | 'progress' | 'total' | 'message'>): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${inOneLine(tool, messageWidth)} ${done} ${inOneLine(message, messageWidth)}`.trimEnd();
}
export const progressFact = ({ reqId, ...told }: Progress): Fact => ({
  type: 'call_progress',
  req_id: reqId,
  ...told,
});

interface Called {
  readonly server: string;
  readonly tool: string;
}
export const calledOf =
  (computer: { calls(): readonly (Called & { readonly reqId: string })[] }) =>
  (reqId: string): Called =>
    computer.calls().find((one) => one.reqId === reqId) ?? { server: '', tool: '' };

export async function withProgress(
  { terminal }: CommandContext,
  call: WatchedCall<CallOutcome>,
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
/** To stderr, because stdout has only the result. */
export const progressReporter =
  ({ terminal }: CommandContext, { facts = false }: { readonly facts?: boolean }) =>
  (told: Progress): void => {
    if (facts || !terminal.isWatched) terminal.line(factLine(progressFact(told)), 'err');
  };
