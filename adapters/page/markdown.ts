import { askerOf, doesAfter, phasesOf, serverOf } from './call-list.ts';
import { standingOf, type Call } from '../../machines/incidents/calls.ts';
import type { IncidentView } from '../../machines/incidents/incident.ts';
import type { ServerView } from './model.ts';
import { clockText, durationText } from './values.ts';

/** Writes the shown view as Markdown, for an issue or a chat. Texts of servers cannot end a block or a row. Pure. */

const inBlock = (text: string): string => `\`\`\`json\n${text.replaceAll('```', '` ` `')}\n\`\`\``;
const jsonOf = (value: unknown): string => inBlock(JSON.stringify(value, null, 2) ?? 'null');
const inRow = (text: string): string =>
  text.replaceAll('|', String.raw`\|`).replaceAll(/(?<!\s)\s*\n\s*/g, ' ');
const rowOf = (...cells: readonly string[]): string => `| ${cells.map(inRow).join(' | ')} |`;

export function callAsMarkdown(call: Call, now: number): string {
  const { words, why } = standingOf(call, now);
  const { tool, reqId, params, ended, from } = call;
  const steps = phasesOf(call, now).map((phase) =>
    rowOf(
      phase.name,
      durationText(phase.from - from),
      phase.step === 'ended' ? '' : durationText(phase.to - phase.from),
      doesAfter(phase, call),
    ),
  );
  return [
    `### ${tool}: ${words}`,
    `server ${serverOf(call) || 'none'}, asked by ${askerOf(call)}, req_id \`${reqId}\`, ${clockText(from)}`,
    ...(why === '' ? [] : [`> ${why.replaceAll('\n', '\n> ')}`]),
    ['| step | after | took | |', '|---|---:|---:|---|', ...steps].join('\n'),
    ...(params === undefined ? [] : [`arguments\n${jsonOf(params)}`]),
    ...(ended && ended.at <= now ? [`result\n${jsonOf(ended.result)}`] : []),
  ].join('\n\n');
}
export interface Shown {
  readonly title: string;
  readonly at: number;
  readonly incidents: readonly IncidentView[];
  readonly servers: readonly ServerView[];
}
export function hostAsMarkdown({ title, at, incidents, servers }: Shown): string {
  const rows = servers.map(({ name, words, why, facts }) => rowOf(name, words, why, facts.join(', ')));
  const happened = incidents.map(
    ({ subject, from, to, times, what, lost }) =>
      `- ${clockText(from)} **${inRow(subject)}**: ${inRow(what)}${times > 1 ? ` (${times} times)` : ''}${to === undefined ? '' : ', over'}${lost.length > 0 ? `, calls lost: ${lost.length}` : ''}`,
  );
  return [
    `## ${inRow(title)}, ${clockText(at)}`,
    ...(happened.length === 0 ? [] : [happened.join('\n')]),
    ...(rows.length === 0
      ? []
      : [['| server | state | why | facts |', '|---|---|---|---|', ...rows].join('\n')]),
  ].join('\n\n');
}
