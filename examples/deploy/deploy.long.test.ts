import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { configOfPage } from '../../scenarios/fixtures/chaos/nginx.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const words = z.array(z.string()).min(1);
const node = z.strictObject({
  build: z.literal('.'),
  command: words,
  environment: z.record(z.string(), z.string()),
  restart: z.string(),
  stop_grace_period: z.string(),
  depends_on: z.object({ redis: z.unknown() }),
});
const compose = z
  .object({
    services: z.object({ redis: z.unknown(), node1: node, node2: node, proxy: z.object({ ports: words }) }),
  })
  .parse(parse(read('compose.yaml')));
const dockerfile = read('Dockerfile');
const [entrypoint, healthCheck] = ['ENTRYPOINT', '  CMD'].map((word) => {
  const line = dockerfile.split('\n').find((each) => each.startsWith(`${word} [`)) ?? '';
  return words.parse(JSON.parse(line.slice(word.length)));
}) as [string[], string[]];
const [, ofUnit = ''] = /^ExecStart=\/usr\/bin\/node node_modules\/\.bin\/(.+)$/m.exec(
  read('a2c-office.service'),
) ?? [''];

const folder = testFolder('deploy');
/** Tells whether the health check of the image, asked of this port, ends well. */
async function isHealthy(port: string): Promise<boolean> {
  const [, program = '', ...argv] = healthCheck.map((word) => word.replace(':9100/', `:${port}/`));
  return (await startCommand(argv, {}, program).exited).code === 0;
}

describe('examples/deploy', () => {
  it.each([
    ['the image', [...entrypoint, ...compose.services.node1.command]],
    ['the unit of systemd', ofUnit.split(' ')],
  ])('%s starts an office that is healthy, and ends it at SIGTERM', async (_, [program, ...given]) => {
    expect(program).toBe('a2c');
    const free = given.map((word) => word.replace(/(?<=^|:)9100$/, '0'));
    const env = { A2C_TOKEN: 'for-tests', XDG_STATE_HOME: folder };
    const { child, said, exited } = startCommand([...free, '--port', '0'], env);
    const [, port = ''] = await said(/^metrics at http:\S+:(\d+)\/metrics$/m);
    expect(await isHealthy(port)).toBe(true);
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 143, signal: null });
    expect(await isHealthy(port)).toBe(false);
  });

  it('nginx has the config of docs/operate.md, with the nodes of compose.yaml', () => {
    const { node1, node2 } = compose.services;
    expect(node2).toEqual(node1);
    const linesOf = (text: string): string[] =>
      text
        .trim()
        .split('\n')
        .map((line) => line.trim());
    const nodes = ['node1:3000', 'node2:3000', 'node3:3000'];
    const config = configOfPage(nodes, ['']).replace('listen :80;', 'listen 80;');
    expect(linesOf(read('nginx.conf'))).toEqual(linesOf(config).filter((line) => !line.includes('node3')));
  });

  it('each time to stop is longer than that for calls that run, and 143 counts as a good end', () => {
    expect(compose.services.node1.stop_grace_period).toBe('20s');
    expect(read('a2c-office.service')).toMatch(/^SuccessExitStatus=143\nTimeoutStopSec=20$/m);
  });
});
