import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { manifest, root } from '../fixtures/checkout.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yml'))
    .map((name) => join(folder, name));
const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'));
const { scripts } = manifest;

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const step = z.strictObject({
  name: z.string().optional(),
  uses: z
    .string()
    .regex(/^actions\/[\w-]+@v\d+$/)
    .optional(),
  with: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  run: z.string().optional(),
  'continue-on-error': z.literal(true).optional(),
});
const workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    push: z.record(z.string(), z.array(z.string())),
    pull_request: z.null().optional(),
    workflow_dispatch: z.null().optional(),
  }),
  permissions,
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.boolean() }).optional(),
  jobs: z.record(
    z.string(),
    z
      .strictObject({
        if: z.string().optional(),
        needs: z.string().optional(),
        'runs-on': z.string(),
        'timeout-minutes': z.number(),
        environment: z.string().optional(),
        permissions: permissions.optional(),
        strategy: z
          .strictObject({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.string())) })
          .optional(),
        steps: z.array(step).min(1),
      })
      // A job that neither asks for the switch nor waits for one that does would run without a maintainer's wish.
      .refine((job) => job.if?.includes('vars.') === true || job.needs !== undefined),
  ),
});
const field = z.strictObject({
  type: z.enum(['markdown', 'textarea', 'input', 'dropdown']),
  id: z.string().optional(),
  attributes: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  validations: z.strictObject({ required: z.boolean() }).optional(),
});
const form = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(field).refine((fields) => {
    const ids = fields.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    return !ids.includes(undefined) && new Set(ids).size === ids.length;
  }),
});

describe.each(filesIn('.github/workflows'))('%s', (file) => {
  const { jobs } = workflow.parse(read(file));
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

  it('runs scripts that there are', () => {
    const named = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const paths = runs.flatMap((run) => run.match(/(?<![\w/])(?:\.ci|machines|scenarios)\S*/g) ?? []);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(paths).not.toEqual([]);
  });

  it('has jobs that wait for jobs that there are', () => {
    expect(Object.values(jobs).flatMap(({ needs }) => (needs && !(needs in jobs) ? needs : []))).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('has commands that a shell can read', () => {
    const wrong = runs.filter((run) => spawnSync('sh', ['-n'], { input: run }).status !== 0);
    expect(wrong).toEqual([]);
  });
});

it('.github has issue forms as GitHub wants them', () => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('config.yml'));
  expect(forms.length).toBeGreaterThan(1);
  for (const file of forms) expect(form.safeParse(read(file)).error?.message ?? '', file).toBe('');
});
