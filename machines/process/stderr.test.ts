import { expect, test } from 'vitest';
import { failureOfEnd } from './server-failure.ts';
import { stderrs } from '../../scenarios/fixtures/server-stderr.ts';
import { explained } from './stderr.ts';

const headlines: Readonly<Record<keyof typeof stderrs, string>> = {
  nodeSyntax: "SyntaxError: Unexpected token ';'",
  nodeMissingModule: "Error: Cannot find module 'left-out'",
  nodeMissingPackage:
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-out' imported from /srv/app/missing.mjs",
  nodeThrown: 'TypeError: no database is configured',
  nodeThrownInPackage: 'Error: connect refused',
  nodeRejectedWithText:
    'UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "nope".',
  nodeThrewText: 'nope',
  nodeWithCause: 'Error: settings are broken',
  nodeListen: 'Error: listen EADDRNOTAVAIL: address not available 192.0.2.1:1',
  nodeManyErrors: 'AggregateError: All promises were rejected',
  nodePrinted: "Server failed to start: TypeError: Cannot read properties of null (reading 'x')",
  nodeHeap: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  nodeOption: 'node: bad option: --badopt',
  exitWithUsage: 'Error: missing required environment variable API_KEY',
  pythonRaised: 'ValueError: no database is configured',
  pythonModule: "ModuleNotFoundError: No module named 'left_out'",
  pythonSyntax: 'SyntaxError: invalid syntax',
  pythonChained: 'RuntimeError: settings are broken',
  pythonGroup: 'ValueError: inner',
  pythonExit: 'API_KEY is missing',
  pythonNoModule: '/usr/bin/python3: No module named left_out',
  npxOffline:
    "npm error request to https://registry.example/left-out-mcp failed: cache mode is 'only-if-cached' but no cached response is available.",
  npxUnknown: 'npm error 404 Not Found - GET https://registry.example/@left-out-q%2fxyz',
  npmNoFile:
    "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/app/package.json'",
  pip: 'ERROR: No matching distribution found for left-out-xyz',
  uvx: '╰─▶ Because left-out-xyz was not found in the package registry and you require left-out-xyz, we can conclude that',
  shellNotFound: 'sh: 1: left-out: not found',
  bashNotFound: 'bash: line 1: left-out: command not found',
  shellNoFile: 'cat: /nope: No such file or directory',
  go: 'panic: no database is configured',
  java: 'Caused by: java.lang.RuntimeException: inner',
  prefixed: "[2026-11-30 10:00:01] [error] could not load settings: one of ['a', 'b']",
  option: '--token is required',
  pydantic: 'pydantic_core._pydantic_core.ValidationError: 12 validation errors for Settings',
  npxUnresolved: 'npm error ERESOLVE could not resolve',
};

test.each(Object.entries(headlines))('what %s said is explained by one line', (name, headline) => {
  const { lines, ...found } = explained(stderrs[name as keyof typeof stderrs]);
  expect(found.headline).toBe(headline);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(lines.join('\n')).not.toMatch(/Node\.js v|complete log of this run|node:internal/);
});

test('the message has one line, the details have up to ten', () => {
  const end = { how: 'failed', pid: 7, code: 1, signal: null, message: null } as const;
  expect(failureOfEnd('fs', { ...end, stderr: stderrs.nodeWithCause }, false)).toMatchObject({
    message: `Server 'fs' ended with exit code 1; stderr: ${headlines.nodeWithCause}`,
    details: {
      stderr: expect.stringContaining('Error: settings are broken\n    at main (/srv/app/cause.js:1:66)'),
    },
  });
  const { details, message } = failureOfEnd('fs', { ...end, stderr: stderrs.npxUnknown }, false);
  expect(details?.['stderr']).toContain('npm error code E404\nnpm error 404 Not Found');
  expect(message).not.toContain('\n');
});

test('what is said of a program that never ran does not advise to run it by hand', () => {
  const end = { pid: null, code: null, signal: null, stderr: '' } as const;
  const failed = failureOfEnd(
    'fs',
    { ...end, how: 'failed', message: 'cannot start "uvx": not found' },
    false,
  );
  expect(failed.remedy).toBe('Fix what the message names, then start the server again.');
  expect(failureOfEnd('fs', { ...end, how: 'exited', pid: 7, code: 1, message: null }, false).remedy).toMatch(
    /^Run its command by hand/,
  );
});

test('an exception that was survived does not explain an end long after it', () => {
  const survived = (lines: number): string =>
    `${stderrs.pythonRaised}${Array.from({ length: lines }, (_, n) => `served ${n}\n`).join('')}bye\n`;
  expect(explained(survived(3)).headline).toBe('ValueError: no database is configured');
  expect(explained(survived(30)).headline).toBe('bye');
});

test('what crashed goes before what npm says of it', () => {
  expect(explained(stderrs.nodeThrown + stderrs.npmNoFile).headline).toBe(headlines.nodeThrown);
});

test('colours are no words, and a line that was drawn over is a line', () => {
  expect(explained('\u001b[31mnpm\u001b[39m \u001b[1merror\u001b[0m code E1\nnpm error it broke\n')).toEqual({
    headline: 'npm error it broke',
    lines: ['npm error code E1', 'npm error it broke'],
  });
  expect(explained('loading 1%\rloading 2%\rError: disk full\r\n').headline).toBe('Error: disk full');
});

test('an empty stderr explains nothing', () => {
  for (const text of ['', '\n\n', 'Node.js v22.1.0\n'])
    expect(explained(text)).toEqual({ headline: '', lines: [] });
});

test('little is passed on, however much is said and however it is drawn', () => {
  const long = 'x'.repeat(5_000);
  const texts = [
    long,
    `${long}\n`.repeat(13),
    `Traceback (most recent call last):\n${long}: ${long}\n${`${long}\n`.repeat(9)}`,
    `  ^\n${long}\n    at f (${long}:1:1)\n`.repeat(4),
    `  ^\n\n${`${long}\n`.repeat(8)}Node.js v20.0.0`,
    `npm error ${long}\n`.repeat(9),
    '    at x\n'.repeat(7_000),
    '\n'.repeat(65_536),
    '\u001b['.repeat(32_000),
    ':1'.repeat(32_000),
    '^\n'.repeat(32_000),
    `|${' |'.repeat(16_000)}`,
  ];
  for (const text of texts) {
    const { headline, lines } = explained(text);
    expect(headline.length).toBeLessThanOrEqual(400);
    expect(headline).not.toMatch(/[\r\n]/);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.join('\n').length).toBeLessThanOrEqual(2_000);
  }
});
