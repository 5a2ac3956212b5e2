import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Programs } from '../../actors/servers/programs.ts';
import { createTransformer } from '../../adapters/vrl/transformer.ts';
import { transformAsk } from '../../machines/call/transform.ts';
import { installCommand } from '../../adapters/optional-packages.ts';
import type { RequestFact } from '../../machines/kernel/ports.ts';
import { eventOf, type Transformed, type Transformer } from '../../machines/call/transform.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { builtModule } from '../fixtures/built-module.ts';
import { VirtualClock } from '../stage/virtual-clock.ts';
import { registered } from './registered.ts';
import { transformContract, type Program, type TransformWorld } from './transform.contract.ts';
import { createWaiting } from './waiting.ts';

/** The real one, in this file alone: each thread that it starts loads 13 MB first. */
const sources: Readonly<Record<Program, string>> = {
  good: '.status = "processed"',
  wrong: '.a = 1\n.field =',
  failing: 'abort "no such luck"',
  // Twenty to the power of twelve turns.
  endless: `l = [${'1,'.repeat(19)}1]\n${'for_each(l) -> |_i, _v| { '.repeat(12)}.n = 1${' }'.repeat(12)}`,
};

function createTimers() {
  const clock = new VirtualClock();
  const { heard, until } = createWaiting();
  const programs = new Set<number>();
  const said = heard<void>(() => {});
  return {
    clock,
    heard: () => said(),
    until,
    isRunning: () => programs.size > 0,
    setTimeout: (fire: () => void, ms: number): number => {
      const timer: number = clock.setTimeout(() => {
        programs.delete(timer);
        fire();
      }, ms);
      if (ms === timing.vrlMs) programs.add(timer);
      said();
      return timer;
    },
    clearTimeout: (timer: unknown): void => {
      programs.delete(timer as number);
      clock.clearTimeout(timer);
      said();
    },
  };
}

let shared:
  | { readonly transformer: Transformer; readonly timers: ReturnType<typeof createTimers> }
  | undefined;
function open() {
  if (shared) return shared;
  const timers = createTimers();
  const inner = createTransformer({ timers });
  const transformer: Transformer = {
    check: (source) => inner.check(source),
    run: (...asked) => inner.run(...asked),
    close: () => {
      shared = undefined;
      return inner.close();
    },
  };
  shared = { transformer, timers };
  return shared;
}
afterAll(() => shared?.transformer.close());

function createWorld(): TransformWorld {
  const { transformer, timers } = open();
  const { heard, until, isRunning, clock } = timers;
  return {
    ...{ transformer, sources, heard, until },
    running: () => until(isRunning),
    passTime: () => clock.advance(timing.vrlMs),
    dispose: () => Promise.resolve(),
  };
}
registered('the transformer with a thread of its own', transformContract({ createWorld }));

const root = fileURLToPath(new URL('../..', import.meta.url));
const content = [{ type: 'text', text: 'grün' }];
const asked = (program: string | null, result: unknown = { content }): Promise<RequestFact> =>
  new Promise((resolve) => {
    const params = { server: 'fs', tool: 'look', parameters: { user: { id: 7 } }, result };
    const request = { id: 'transform', target: 'transform', method: 'vrl', params };
    transformAsk(open().transformer, () => program)('call#1', request, resolve);
  });
const jsonOf = (answer: RequestFact): string =>
  answer.type === 'ask.answered' ? (answer.result as { json: string }).json : JSON.stringify(answer);
const made = async (program: string, result?: unknown): Promise<unknown> =>
  JSON.parse(jsonOf(await asked(program, result))) as unknown;
const refused = async (program: string | null, result?: unknown) => {
  const answer = await asked(program, result);
  if (answer.type !== 'ask.refused') throw new Error(JSON.stringify(answer));
  return answer.failure;
};

describe('a question about the result of a call', () => {
  it('is refused with the words of a program that fails, and names server and tool', async () => {
    const failure = await refused('. = parse_json!(.content[0].text)');
    expect(failure.message).toMatch(
      /^vrl of 'fs': function call error for "parse_json" at line 1, column 5: /,
    );
    expect(failure.details).toEqual({ server_name: 'fs', tool_name: 'look' });
  });
  it('is refused where its server has no program', async () => {
    expect((await refused(null)).message).toBe("vrl of 'fs': there is no program");
  });
  it('sees what any JSON may be, and makes of it what any JSON may be', async () => {
    const odd = { nothing: null, empty: {}, text: 'a\u0000"\\', huge: 1e300, list: [[], [1.5]] };
    expect(await made('. = .structuredContent', { content, structuredContent: odd })).toEqual(odd);
    expect(await made('. = "text"')).toBe('text');
    expect(await made('. = null')).toBeNull();
  });
  it('is refused over a result that the runtime breaks under, and the next one is answered', async () => {
    let deep: object = {};
    for (let level = 0; level < 200; level += 1) deep = { deep };
    expect(await refused('.a = 1', { content, structuredContent: deep })).toMatchObject({ code: 'Crashed' });
    expect(await refused('.a = 1', { content: [{ text: 'half: \ud83d' }] })).toMatchObject({
      code: 'Crashed',
    });
    expect(await made('.a = 1')).toMatchObject({ a: 1 });
  });
});

describe('the time of a program', () => {
  it('ends also one that really runs', async () => {
    const [checking, running] = [createTransformer(), createTransformer({ vrlMs: 1_000 })];
    expect(await checking.check(sources.endless)).toEqual({ ok: true });
    const answer = await new Promise((resolve) => running.run(sources.endless, {}, resolve));
    expect(answer).toMatchObject({ ok: false, failure: { code: 408, details: { timeout: 1_000 } } });
    await Promise.all([checking.close(), running.close()]);
  });
});

describe('the built package', () => {
  it('runs programs, and a thread that rests or was never closed keeps no process alive', () => {
    const module = builtModule('adapters/vrl/transformer.ts');
    const program = `const { createTransformer } = await import(${JSON.stringify(module)});
      createTransformer().run('.a = 1', {}, (answer) => process.stdout.write(JSON.stringify(answer)));`;
    const how = { encoding: 'utf8', timeout: 60_000 } as const;
    const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], how);
    expect(JSON.parse(out)).toEqual({ ok: true, json: '{"a":1}' });
  });
});

describe('docs/vrl.md', () => {
  const page = readFileSync(join(root, 'docs/vrl.md'), 'utf8');
  const chapter = (title: string): string =>
    page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  const blocks = (text: string, kind: string): string[] =>
    [...text.matchAll(new RegExp(`^ *\`\`\`${kind}\\n([^]*?)\\n *\`\`\``, 'gm'))].map(
      ([, block = '']) => block,
    );
  const names = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const [event = ''] = blocks(chapter('The event'), 'json');
  const [, failing = '', missing = ''] = chapter('What does not work').split('\n\n');
  const run = (program: string): Promise<Transformed> =>
    new Promise((resolve) => open().transformer.run(program, JSON.parse(event) as object, resolve));

  const programs = blocks(chapter('Examples'), 'vrl');
  const outputs = blocks(chapter('Examples'), 'json');
  it('has an output for each of its examples', () => {
    expect(programs.length).toBeGreaterThan(2);
    expect(outputs).toHaveLength(programs.length);
  });
  it.each(programs.map((program, at) => [program, outputs[at] ?? '']))(
    'says what comes of an example: %s',
    async (program, output) => {
      const answer = await run(program);
      expect(answer).toMatchObject({ ok: true });
      expect(answer.ok && JSON.parse(answer.json)).toEqual(JSON.parse(output));
    },
  );
  it('shows an event of the shape that programs get, and the program of its first config runs over it', async () => {
    const {
      meta,
      content: items,
      structuredContent,
      isError,
      tool_name: tool,
      parameters,
    } = JSON.parse(event);
    const result = { content: items, structuredContent, isError };
    expect(eventOf({ tool, parameters, result })).toEqual(JSON.parse(event));
    expect(meta).toBeNull();
    const [config = ''] = blocks(page, 'json');
    const answer = await run((JSON.parse(config) as { vrl: string }).vrl);
    expect(answer.ok && JSON.parse(answer.json)).toMatchObject({ hits: 2 });
  });
  it('shows a mistake as it is told', async () => {
    const [mistake = ''] = blocks(page, 'text');
    const servers = [{ name: 'search', vrl: '.hits = lenght(.found)' }] as never;
    await expect(new Programs(open().transformer).mustBeRight(servers)).rejects.toThrow(mistake);
  });
  it('names the functions that pass the check and fail when they run', async () => {
    const [last = '', ...rest] = names(failing).toReversed();
    expect([last, rest.length]).toEqual(['get_env_var', 6]);
    const args: Record<string, string> = {
      parse_grok: '"a", "%{WORD:a}"',
      parse_groks: '"a", ["%{WORD:a}"]',
    };
    const without = ['get_hostname'];
    for (const name of [last, ...rest]) {
      const given = without.includes(name) ? '' : (args[name] ?? '"localhost"');
      const program = name === 'log' ? 'log("x")' : `.a = ${name}!(${given})`;
      expect(await open().transformer.check(program), name).toEqual({ ok: true });
      expect(await run(program), name).toMatchObject({ ok: false });
    }
  });
  it('names the functions that are not there', async () => {
    expect(names(missing)).toHaveLength(15);
    for (const name of names(missing))
      expect(await open().transformer.check(`.a = ${name}(.a)`), name).toMatchObject({
        failure: { message: expect.stringContaining('call to undefined function') },
      });
  });
  it('has the command that installs the package', () => {
    expect(blocks(page, 'sh')[0]).toBe(installCommand('@bpinternal/verel'));
  });
});
