// Plays scenarios outside of any test runner; exits with 0 when all passed.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { disagreements } from './agreement.ts';
import { isData, type Plan } from './plan.ts';
import { playReally } from './real/play-real.ts';
import { registered } from './builder.ts';
import { playVirtually } from './virtual/play-virtual.ts';

const help = `Plays scenarios and says of each how it went.

  node --import tsx scenarios/stage/plan/run.ts [options] [FILE…]

  FILE         plans as JSON, one a line; default: all scenarios without code
  --plans      plays nothing, and writes the plans as JSON, one a line
  --real       also with real processes, and holds both against each other
  --only TEXT  those whose title has this text, in any case
  --json       a line of JSON each
  --help       this

exit 0 everything went as planned   exit 1 something did not   exit 64 wrong usage
`;

interface Line {
  readonly title: string;
  readonly ok: boolean;
  readonly wrong: readonly string[];
  readonly virtualMs: number;
  /** Null when the plan was not played for real. */
  readonly realMs: number | null;
  readonly virtualOnly?: string;
}
const plansIn = (file: string): Plan[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Plan);

/** Scenarios that are data; those with code need a test runner. */
async function allScenarios(): Promise<readonly Plan[]> {
  await import('../../stories/all.scenario.ts');
  return registered.filter(isData);
}

async function play(plan: Plan, isReal: boolean): Promise<Line> {
  const { title, virtualOnly } = plan;
  const virtual = await playVirtually(plan);
  const wrong = virtual.wrong.map((text) => `in virtual time: ${text}`);
  const told = {
    title,
    virtualMs: Math.round(virtual.ms),
    ...(virtualOnly !== undefined && { virtualOnly }),
  };
  if (!isReal || virtualOnly !== undefined) return { ...told, ok: wrong.length === 0, wrong, realMs: null };
  const real = await playReally(plan);
  wrong.push(
    ...real.wrong.map((text) => `for real: ${text}`),
    ...disagreements(plan, virtual.summary, real.summary),
  );
  return { ...told, ok: wrong.length === 0, wrong, realMs: Math.round(real.ms) };
}
const shown = ({ title, ok, wrong, virtualMs, realMs }: Line): string => {
  const real = realMs === null ? '' : `, ${realMs} ms for real`;
  return [`${ok ? 'ok' : 'NO'}  ${title} (${virtualMs} ms${real})`, ...wrong.map((text) => `      ${text}`)]
    .join('\n')
    .concat('\n');
};

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      real: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      plans: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  });
  const write = (text: string): void => void process.stdout.write(text);
  if (values.help) {
    write(help);
    return 0;
  }
  const all = positionals.length > 0 ? positionals.flatMap(plansIn) : await allScenarios();
  const only = values.only.toLowerCase();
  const plans = all.filter(({ title }) => title.toLowerCase().includes(only));
  if (values.plans) {
    for (const plan of plans) write(`${JSON.stringify(plan)}\n`);
    return 0;
  }
  const lines: Line[] = [];
  for (const plan of plans) {
    const line = await play(plan, values.real);
    lines.push(line);
    write(values.json ? `${JSON.stringify(line)}\n` : shown(line));
  }
  const failed = lines.filter(({ ok }) => !ok).length;
  const real = lines.filter(({ realMs }) => realMs !== null).length;
  const summary = `${lines.length} scenarios, ${real} also for real, ${failed} not as planned\n`;
  if (values.json) process.stderr.write(summary);
  else write(summary);
  return failed === 0 && lines.length > 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n--help says how\n`);
  process.exitCode = 64;
}
