import type { Microstep } from '../../actors/runtime/stepper/stepper.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** Whoever reads a trace wants who, what and when; payloads are cut to a word where they matter. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= 60 ? (text ?? '') : `${text.slice(0, 57)}…`;
};
const lines: { [K in DirectoryRecord['k']]: (r: Extract<DirectoryRecord, { k: K }>) => string } = {
  in: (r) => `> ${r.via} ${r.a}${r.ev ? ` ${r.ev.type}` : ''}${r.n === undefined ? '' : ` #${r.n}`}`,
  draw: (r) => `? ${r.a} ${r.port}: ${r.threw ? r.threw.message : JSON.stringify(r.v)}`,
  post: (r) => `${r.from} -> ${r.a}: ${r.ev.type}${r.dead ? ` (${r.dead})` : ''}`,
  open: (r) => `+ ${r.a}`,
  end: (r) => `- ${r.a} ${r.why}${r.error === undefined ? '' : ` ${r.error}`}`,
  timer: (r) => `${r.op} ${r.a} ${r.via ?? 'timer'} #${r.n}${r.ms === undefined ? '' : ` ${r.ms} ms`}`,
  out: (r) => `${r.a} ${r.port}: ${r.ev.type}`,
  defect: (r) => `! ${r.a}: ${r.what}`,
};

/** One line of a trace, addressed by path: the same run gives the same lines. */
export const lineOf = <K extends DirectoryRecord['k']>(
  now: number,
  record: Extract<DirectoryRecord, { k: K }>,
): string => `${String(now).padStart(7)} ${lines[record.k](record)}`;

/** A step of a machine: where it is now. */
export const stepLine = (now: number, { actor, snapshot: { value, status } }: Microstep): string => {
  const end = status === 'active' ? '' : ` [${status}]`;
  return `${String(now).padStart(7)} ${actor.id} = ${shown(value)}${end}`;
};
