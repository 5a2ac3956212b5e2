import type { Behaviour, Plan, ServerData, Step } from '../../stage/plan/plan.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import { written } from '../paste.ts';

const faultText = ({ fault, ...params }: Fault): string => {
  const said = Object.entries(params).map(([key, value]) => `${key} ${String(value)}`);
  return said.length === 0 ? fault : `${fault} (${said.join(', ')})`;
};
const faultsText = ({ faults = [] }: Behaviour): string =>
  faults.length === 0 ? 'well' : faults.map(faultText).join(', ');

function serverLines({ name, tools = {}, later = {}, ...rest }: ServerData): string[] {
  const options = [
    ...(['autoStart', 'isLazy', 'isRemote', 'restart', 'budget', 'forbidden'] as const),
    ...(['hearsChanges', 'refreshFailures', 'resources'] as const),
    ...(['limits', 'resultBytes', 'program', 'autoApprove', 'callTotalMs'] as const),
  ].flatMap((key) => (rest[key] === undefined ? [] : [`${key} ${written(rest[key])}`]));
  return [
    `  ${name}: tools ${Object.keys(tools).join(' ')}${options.map((text) => `, ${text}`).join('')}`,
    `    start 1: ${faultsText(rest)}`,
    ...Object.entries(later).map(([start, one]) => `    start ${start}: ${faultsText(one)}`),
  ];
}
const nameOf = (step: Step): string => {
  if (step.do === 'fault') return step.fault.fault;
  if (step.do === 'call') return `call by ${step.by}`;
  if (step.do === 'show') return `${step.collection} for ${step.by}`;
  if (step.do === 'read') return `read by ${step.by}`;
  return 'who' in step ? `${step.do} ${step.who}` : step.do;
};

export function described({ title, servers, steps, timing = {}, office, ...house }: Plan): string[] {
  const { person, permission, total, shares } = house;
  const counts = new Map<string, number>();
  for (const step of steps)
    if (step.do !== 'run') counts.set(nameOf(step), (counts.get(nameOf(step)) ?? 0) + 1);
  const often = [...counts].map(([name, n]) => (n === 1 ? name : `${n} × ${name}`));
  const virtualMs = steps.reduce((sum, step) => sum + (step.do === 'run' ? step.ms : 0), 0);
  const knobs = Object.entries(timing).map(([knob, ms]) => `${knob} ${ms}`);
  return [
    `${title}: ${virtualMs / 1000} s and the end, ${office ? 'with an office and an agent' : 'a computer alone'}`,
    ...servers.flatMap(serverLines),
    `  a person: ${person ?? 'is not asked'}; the rule of the host: ${permission ?? 'ours'}`,
    ...(total ? [`  of all calls together: ${written(total)}`] : []),
    ...(shares ? [`  it shares: ${written(shares)}`] : []),
    `  delays (ms): ${knobs.length > 0 ? knobs.join(', ') : 'the usual ones'}`,
    `  what happens: ${often.join(', ')}`,
  ];
}
