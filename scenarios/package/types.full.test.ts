import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { strangerProject } from '../fixtures/stranger-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const { resolve } = createRequire(import.meta.url);
const compilers = ['typescript', '@typescript/old'] as const;
const project = testFolder('strict');

const strict = {
  ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noImplicitOverride: true, noPropertyAccessFromIndexSignature: true, noImplicitReturns: true },
  ...{
    noUnusedLocals: true,
    noUnusedParameters: true,
    noFallthroughCasesInSwitch: true,
    isolatedModules: true,
  },
  ...{ verbatimModuleSyntax: true, noEmit: true, target: 'es2022' },
};
const resolutions = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
] as const;

const host = `import { createAgent, createComputer, createOffice, A2cError } from 'a2c-actors';
import { createPresenter } from 'a2c-actors/presenter';
import type { Agent, AgentOptions, AgentTool, Computer, Failure, Launcher, Office } from 'a2c-actors';
import { createComputer as eager } from 'a2c-actors/computer';
import { launcherSubject } from 'a2c-actors/contracts';
import { anthropic, createConversation, openai } from 'a2c-actors/models';

export const handles = async (signal: AbortSignal): Promise<[Office, Computer, Agent]> => {
  const office = await createOffice({ port: 0 });
  const computer: Computer = await eager({ office: { url: office.url }, signal });
  const options: AgentOptions = { url: office.url };
  return [office, computer, await createAgent(options)];
};
export const failed = (error: unknown): Failure['code'] | undefined =>
  error instanceof A2cError ? error.code : undefined;
export const names = (tools: readonly AgentTool[]): string[] =>
  tools.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : []));
export const called = async (computer: Computer, agent: Agent): Promise<string> => {
  const ended = await computer.callTool('echo');
  const conversation = createConversation();
  conversation.offer((await computer.tools()).tools);
  await anthropic.run({ content: [] }, conversation, computer, { signal: undefined });
  await anthropic.run(undefined, conversation, agent);
  return ended.outcome === 'succeeded' ? String(ended.result.content.length) : ended.failure.message;
};
// A type that was rolled up into two groups of files is one type.
export const subject = (launcher: Launcher): unknown => launcherSubject({ launcher } as never);
export const others = { createComputer, createPresenter, openai };
`;

describe('the types of the packed package', () => {
  beforeAll(() => {
    strangerProject(project);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'host.ts'), host);
  }, 120_000);

  it.each(
    compilers.flatMap((compiler) => resolutions.map((how) => [compiler, how.moduleResolution, how] as const)),
  )('pass every check of %s with the resolution %s, and bring few files', (compiler, _, how) => {
    const options = { compilerOptions: { ...strict, ...how }, files: ['host.ts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options));
    const tsc = [join(dirname(resolve(`${compiler}/package.json`)), 'bin/tsc'), '-p', project];
    const { stdout, status } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
    const files = execFileSync(process.execPath, [...tsc, '--listFilesOnly'], { encoding: 'utf8' }).split(
      '\n',
    );
    const own = files.filter((file) => file.includes('/a2c-actors/'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThan(40);
  });
});
