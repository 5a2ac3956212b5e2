import { canonical, type TraceLine } from '../../../machines/trace/index.ts';
import type { Produced } from '../comparison.ts';

const longest = 160;
export const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
const shown = (value: unknown): string => (value === undefined ? '' : ` ${cut(canonical(value))}`);

/** Its word first, and then what else it says. */
function eventText(event: { readonly type: string } | undefined): string {
  if (!event) return '';
  const { type, ...rest } = event;
  return ` ${type}${Object.keys(rest).length === 0 ? '' : shown(rest)}`;
}
const numberText = (n: number | undefined): string => (n === undefined ? '' : ` #${n}`);
export const stateText = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** A record as a person reads it. */
export function recordText(record: Produced): string {
  switch (record.k) {
    case 'in':
      return `in     ${record.via} ${record.a}${numberText(record.n)}${eventText(record.ev)}`;
    case 'draw':
      return `draw   ${record.a} ${record.port}${shown(record.threw ?? record.v)}`;
    case 'post':
      return `post   ${record.from} -> ${record.a}${eventText(record.ev)}${record.dead ? ` (nobody there: ${record.dead})` : ''}`;
    case 'open':
      return `open   ${record.a}${shown(record.input)}`;
    case 'end':
      return `end    ${record.a} ${record.why}${record.error === undefined ? shown(record.output) : `: ${record.error}`}`;
    case 'timer':
      return `timer  ${record.op} ${record.a}${numberText(record.n)}${record.ms === undefined ? '' : ` after ${record.ms} ms`}`;
    case 'out':
      return `out    ${record.a} ${record.port}${eventText(record.ev)}`;
    case 'defect':
      return `defect ${record.a}: ${record.what}`;
    case 'step':
      return `step   ${record.a} on ${record.ev} -> ${cut(stateText(record.v))} [${record.tr.join(', ')}]`;
  }
}
export const inputText = ({ s, t, record }: TraceLine): string =>
  `seq ${s} (t=${t} ms): ${recordText(record)}`;

/** What a machine did with an event, in the words of its chart. */
export const wayText = (record: Produced | undefined): string => {
  if (record?.k !== 'step') return 'nothing';
  return `${record.tr.join(', ') || `${record.ev} is ignored in ${stateText(record.v)}`} (${record.a})`;
};
