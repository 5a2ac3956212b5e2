import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { banViolations, general, purity } from './bans.ts';
import { cycleViolations } from './cycles.ts';
import { folderCircleViolations } from './folder-circles.ts';
import { edgesOf } from './imports.ts';
import { nameViolations, placeViolations } from './names.ts';
import { packageViolations, roomViolations, type Allowance, type Rules } from './rooms.ts';
import { medianLength, sizeViolations } from './sizes.ts';
import { isCode, isTest, readProject, told } from './source.ts';
import { syntaxViolations } from './syntax.ts';

/** Who may lean on which machine: from the asker down. */
const rules: Rules = {
  machines: [
    'agent',
    'view',
    'settings',
    'registry',
    'office',
    'seat',
    'computer',
    'link',
    'aggregator',
    'read',
    'server-cache',
    'client',
    'catalog',
    'watch',
    'call',
    'process',
  ],
  // Those without a folder stand beside all of them: the clock, and what unpacks bodies.
  adapters: [
    ['mcp', 'limiters'],
    ['mcp', 'process'],
    ['mcp', ''],
    ['oauth', ''],
    ['process', ''],
    ['socket', ''],
    ['storage', ''],
    ['vrl', ''],
  ],
};

/** Packages per room; all rows that match a file add up. */
const packages: readonly Allowance[] = [
  { where: /^machines\//, may: ['xstate', 'zod'] },
  { where: /^machines\/config\//, may: ['jsonc-parser'] },
  { where: /^machines\/text\//, may: ['fastest-levenshtein'] },
  { where: /^adapters\//, may: ['node:*', 'zod', 'p-queue', 'picocolors'], types: ['xstate'] },
  { where: /^adapters\/(mcp|oauth|documents)\//, may: ['@modelcontextprotocol/sdk/*'] },
  { where: /^adapters\/documents\/library\//, may: ['chokidar'] },
  {
    where: /^adapters\/documents\/parsing\//,
    may: [
      ...['@e965/xlsx', '@xmldom/xmldom', 'fflate', 'mammoth', 'papaparse', 'parse5'],
      ...['mdast-util-from-markdown', 'mdast-util-gfm', 'micromark-extension-gfm', 'pdfjs-dist/*'],
    ],
    types: ['mdast'],
  },
  { where: /^adapters\/mcp\/http\//, may: ['http-proxy-agent', 'https-proxy-agent'] },
  { where: /^adapters\/proxy\//, may: ['proxy-from-env'] },
  { where: /^adapters\/oauth\//, may: ['proper-lockfile', 'jose'] },
  { where: /^adapters\/storage\/keyring\./, may: ['@napi-rs/keyring'] },
  { where: /^adapters\/storage\//, may: ['proper-lockfile', 'chokidar', 'env-paths'] },
  { where: /^adapters\/storage\/config\/formats\./, may: ['yaml', 'smol-toml'] },
  { where: /^adapters\/process\/windows\/windows-spawn\./, may: ['cross-spawn'] },
  { where: /^adapters\/terminal\//, may: ['string-width'] },
  { where: /^adapters\/terminal\/typed-line\.test\./, may: ['@xterm/headless'] },
  { where: /^adapters\/schema\//, may: ['ajv', 'ajv/*', 'ajv-formats'] },
  { where: /^(adapters\/inspector|scenarios\/fixtures)\//, may: ['ws'] },
  { where: /^adapters\/page\/.*\.tsx$/, may: ['preact', 'preact/hooks'] },
  { where: /^adapters\/metrics\//, may: ['prom-client'] },
  { where: /^(adapters\/tracing|actors\/e2e\/telemetry)\//, may: ['@opentelemetry/api'] },
  { where: /^scenarios\/fixtures\/kept-spans\./, may: ['@opentelemetry/*'] },
  { where: /^adapters\/logging\//, may: ['pino'] },
  { where: /^adapters\/stately\//, may: ['@statelyai/inspect'] },
  { where: /^adapters\/vrl\/worker\./, may: ['@bpinternal/verel'] },
  { where: /^scenarios\/fixtures\/browser\./, may: ['playwright-core'] },
  { where: /^scenarios\/contracts\/stately\./, may: ['ws'] },
  { where: /^adapters\/redis\//, may: ['ioredis', 'socket.io-parser'] },
  { where: /^actors\/e2e\/redis-forms\./, may: ['ioredis'] },
  { where: /^adapters\/socket\//, may: ['socket.io', 'socket.io-client', 'jose', 'limiter'] },
  { where: /^actors\//, may: ['xstate'] },
  { where: /^actors\/(main\.|cli\/)/, may: ['node:*', 'commander', 'picocolors'] },
  { where: /^scenarios\//, may: ['node:*', 'xstate', 'xstate/graph', 'zod', 'vitest', 'fast-check'] },
  { where: /^scenarios\/house\//, may: ['oxc-parser'] },
  { where: /^scenarios\/drawings\//, may: ['preact', 'preact-render-to-string'] },
  { where: /^scenarios\/fault-server\//, may: ['fastest-levenshtein'] },
  { where: /^scenarios\/lifecycle\/drivers\//, may: ['a2c-actors', '@modelcontextprotocol/sdk/*'] },
  {
    where: /^scenarios\/(bench|contracts|fixtures)\//,
    may: ['@modelcontextprotocol/sdk/*', 'socket.io', 'socket.io-client', 'p-queue', 'ioredis'],
  },
  {
    where: /^scenarios\/fixtures\/stateless-server\./,
    may: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  },
  { where: /^scenarios\/bench\/baseline\/page\./, may: ['ws'] },
  { where: /^scenarios\/bench\/rows\/documents\./, may: ['pdfjs-dist/*'] },
  { where: /^scenarios\/contracts\/office\/fuzz\//, may: ['ws'] },
  { where: /^scenarios\/contracts\/models\//, may: ['ajv/*'] },
  // What providers publish is the judge of what they are given: in types alone.
  {
    where: /^scenarios\/contracts\/models\/.*\.test\.ts$/,
    may: [],
    types: ['openai/*', '@anthropic-ai/sdk/*', '@google/genai'],
  },
  { where: /\.(test|scenario)\.ts$/, may: ['vitest', 'fast-check', 'xstate/graph'] },
  { where: /^(adapters|actors)\/.*\.test\.ts$/, may: ['node:*', 'socket.io', 'socket.io-client'] },
  { where: /^scenarios\/fixtures\/oidc-server\.ts$/, may: ['oidc-provider'] },
  { where: /^(actors\/e2e\/credentials\.test|scenarios\/fixtures\/entering)\.ts$/, may: ['jose'] },
  { where: /^actors\/e2e\/presenter\//, may: ['node:*'] },
  { where: /^scenarios\/fixtures\/at-pty\.ts$/, may: ['@lydell/node-pty', '@xterm/headless'] },
  { where: /^actors\/cli\/(pty|storm\.long)\.test\.ts$/, may: ['@lydell/node-pty', '@xterm/headless'] },
  // It holds the table in docs/config.md against the table in the code.
  { where: /^machines\/(config|trace)\/.*\.test\.ts$/, may: ['node:fs'] },
];

/** A check that saw nothing must not pass. Raise these as the project grows. */
const floors = { files: 260, edges: 1000 };

const project = readProject(fileURLToPath(new URL('../..', import.meta.url)));
const code = project.filter(isCode);
const edges = code.flatMap(edgesOf);

describe('the house', () => {
  it('is seen by its checks', () => {
    const median = medianLength(code.filter(({ path }) => !isTest(path)));
    process.stdout.write(`house: ${code.length} files, ${edges.length} imports, median ${median} lines\n`);
    expect(code.length).toBeGreaterThanOrEqual(floors.files);
    expect(edges.length).toBeGreaterThanOrEqual(floors.edges);
  });

  it('lets a room import only the rooms below it', () => {
    expect(told(roomViolations(edges, rules))).toEqual([]);
  });

  it('lets a room import only its own packages', () => {
    expect(told(packageViolations(edges, packages))).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(told(cycleViolations(edges))).toEqual([]);
  });

  it('has no folders in circles', () => {
    expect(told(folderCircleViolations(edges))).toEqual([]);
  });

  it('keeps time, chance and the platform out of the machines', () => {
    expect(told(banViolations(code, purity))).toEqual([]);
  });

  it('takes the replacement where something is banned', () => {
    expect(told([...banViolations(code, general), ...syntaxViolations(code)])).toEqual([]);
  });

  it('has functions that fit a screen', () => {
    expect(told(sizeViolations(code))).toEqual([]);
  });

  it('names files after what they hold', () => {
    expect(told(nameViolations(code))).toEqual([]);
  });

  it('names no machine, person or private registry in its texts', () => {
    expect(told(placeViolations(project))).toEqual([]);
  });
});
