import { writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { saidByCompiler } from '../fixtures/linked-project.ts';
import { strangerProject } from '../fixtures/stranger-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { declarationsOf, docOf, placeOf, type Place } from '../house/public-types.ts';
import { manifest, root } from '../fixtures/checkout.ts';

const { exports } = manifest;
function exampleOf(place: Place): string | undefined {
  const declared = declarationsOf(place.file).own.get(place.name);
  const starts = declared ? [declared.start, ...declared.nodes.map(({ start }) => start)] : [];
  const found = starts.map((start) => docOf(place, start)?.split('@example\n')[1]);
  return found.find((text) => text !== undefined)?.replaceAll(/^\s*\* ?/gm, '');
}
const [examples, entryOf] = [new Map<string, string>(), new Map<string, string>()];
for (const [path, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue;
  const types = join(root, target.types);
  for (const [name, local] of declarationsOf(types).exported) {
    if (!entryOf.has(name)) entryOf.set(name, posix.join('a2c-actors', path));
    const place = placeOf(types, local);
    const example = typeof place === 'object' ? exampleOf(place) : undefined;
    if (example !== undefined) examples.set(name, example);
  }
}
const around = `
  import type { LauncherUnderTest, TransportUnderTest } from 'a2c-actors/contracts';
  declare global {
    const client: any, messages: any[], model: string, payload: unknown, socket: any, tools: any[];
    const computer: import('a2c-actors').Computer;
    const config: import('a2c-actors').ConfigInput, confirm: import('a2c-actors').Confirm;
    const conversation: import('a2c-actors/models').Conversation;
    const plan: ReturnType<typeof import('a2c-actors/scenario').planOf>;
    const launcher: LauncherUnderTest['launcher'];
    const transport: TransportUnderTest['transport'];
    const listen: TransportUnderTest['listen'];
    const Client: typeof import('@modelcontextprotocol/client').Client;
    const test: (title: string, run: () => unknown) => void;
    const expect: (value: unknown, message?: string) => { toBe(other: unknown): void; toEqual(other: unknown): void };
  }
`;

it('whatever a program begins with has an example', () => {
  const begins =
    /^(create[A-Z]|parse|build)|Contract$|^(supervised|inspect|planImport|planOf|verify|replay|redact|fork|worldOf|scenario|anthropic|openai|gemini)$/;
  const names = [...entryOf.keys()].filter((name) => begins.test(name));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !examples.has(name))).toEqual([]);
});

it('the examples compile', () => {
  const project = testFolder('examples');
  strangerProject(project);
  writeFileSync(join(project, 'around.d.ts'), around);
  for (const [name, code] of examples) {
    const own = [...code.matchAll(/\bconst (?:\{([^}]*)\}|(\w+))/g)].flatMap(([, many, one = '']) =>
      (many ?? one).split(',').map((each) => each.trim()),
    );
    const used = [...entryOf].filter(
      ([each]) => !own.includes(each) && new RegExp(`\\b${each}\\b`).test(code),
    );
    const imports = used.map(([each, entry]) => `import { ${each} } from '${entry}';\n`);
    writeFileSync(join(project, `${name}.ts`), `${imports.join('')}${code}\nexport {};\n`);
  }
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', strict: true, noEmit: true, skipLibCheck: true },
    // Without the names of browsers, such as `confirm`.
    lib: ['es2024', 'esnext.disposable'],
  };
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  expect(saidByCompiler(project, '-p', '.')).toBe('');
}, 120_000);
