import { expect, test } from 'vitest';
import { failureOfEnd } from './server-failure.ts';
import { explained } from './stderr.ts';

const ofNode = (text: string): string => `${text}\n\nNode.js v20.20.2\n`;
/** What crashed programs have really written to stderr, `»` before what explains it; folders and addresses are invented. */
const samples: Readonly<Record<string, string>> = {
  nodeSyntax: ofNode(`/srv/app/syntax.js:2
const b = ;
          ^

»SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)`),
  nodeMissingModule: ofNode(`node:internal/modules/cjs/loader:1210
  throw err;
  ^

»Error: Cannot find module 'left-out'
Require stack:
- /srv/app/missing.js
    at Object.<anonymous> (/srv/app/missing.js:1:11)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/app/missing.js' ]
}`),
  nodeMissingPackage: ofNode(`node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

»Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-out' imported from /srv/app/missing.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)`),
  nodeThrown: ofNode(`starting server
/srv/app/thrown.js:2
function start() { throw new TypeError('no database is configured'); }
                   ^

»TypeError: no database is configured
    at start (/srv/app/thrown.js:2:26)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)`),
  nodeRejectedWithText: ofNode(`node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

»UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "nope".
    at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {
  code: 'ERR_UNHANDLED_REJECTION'
}`),
  nodeThrewText: ofNode(`
/srv/app/throwstr.js:1
throw 'nope';
^
»nope
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)`),
  nodeWithCause: ofNode(`/srv/app/cause.js:1
function main() { try { JSON.parse('{'); } catch (cause) { throw new Error('settings are broken', { cause }); } }
                                                           ^

»Error: settings are broken
    at main (/srv/app/cause.js:1:66)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/run_main_module:28:49 {
  [cause]: SyntaxError: Expected property name or '}' in JSON at position 1
      at JSON.parse (<anonymous>)
}`),
  nodeListen: ofNode(`node:events:502
      throw er; // Unhandled 'error' event
      ^

»Error: listen EADDRNOTAVAIL: address not available 192.0.2.1:1
    at Server.setupListenHandle [as _listen2] (node:net:1886:21)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1944:8) {
  code: 'EADDRNOTAVAIL'
}`),
  nodeManyErrors: ofNode(`node:internal/process/promises:391
    triggerUncaughtException(err, true /* fromPromise */);
    ^

[»AggregateError: All promises were rejected«] {
  [errors]: [
    Error: one
        at Object.<anonymous> (/srv/app/agg.js:1:29)
            at node:internal/main/run_main_module:28:49,
    Error: two
        at Object.<anonymous> (/srv/app/agg.js:1:63)
      ]
}`),
  nodePrinted: `hi
»Server failed to start: TypeError: Cannot read properties of null (reading 'x')
    at [eval]:1:33
    at node:internal/process/execution:118:14
`,
  nodeHeap: `
<--- Last few GCs --->

[27319:0x2a9e1e20]       30 ms: Mark-Compact 12.9 (21.2) -> 12.5 (29.2) MB, 1.22 / 0.00 ms  (+ 0.0 ms in 1 steps since start of marking, biggest step 0.0 ms, walltime since start of marking 5 ms) (ave

<--- JS stacktrace --->

»FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
Aborted
`,
  nodeOption: '»node: bad option: --badopt\n',
  exitWithUsage: '»Error: missing required environment variable API_KEY\nUsage: server --key KEY\n',
  pythonRaised: `Traceback (most recent call last):
  File "/srv/app/boom.py", line 2, in load
    raise ValueError("no database is configured")
»ValueError: no database is configured
`,
  pythonSyntax: `  File "/srv/app/syn.py", line 1
    def x(:
          ^
»SyntaxError: invalid syntax
`,
  pythonChained: `Traceback (most recent call last):
  File "/srv/app/chain.py", line 3, in a
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/chain.py", line 5, in a
    raise RuntimeError("settings are broken\\nsee line 3") from e
»RuntimeError: settings are broken
see line 3
`,
  pythonGroup: `  + Exception Group Traceback (most recent call last):
  |   File "/srv/app/grp.py", line 5, in <module>
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/grp.py", line 2, in f
    |                    ^^^^^^^^^^^^^^^^^^^^^^^^^
    | »ValueError: inner
    +------------------------------------
`,
  npxOffline: `npm warn deprecated left-pad@1.3.0: use String.prototype.padStart()
npm error code ENOTCACHED
»npm error request to https://registry.example/left-out-mcp failed: cache mode is 'only-if-cached' but no cached response is available.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-23T04_03_48_660Z-debug-0.log
`,
  npxUnknown: `npm error code E404
»npm error 404 Not Found - GET https://registry.example/@left-out-q%2fxyz
npm error 404
npm error 404  The requested resource '@left-out-q/xyz@*' could not be found or you do not have permission to access it.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-23T04_03_49_206Z-debug-0.log
`,
  npmNoFile: `npm error code ENOENT
npm error syscall open
npm error path /srv/app/package.json
npm error errno -2
»npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/app/package.json'
npm error enoent
`,
  npxUnresolved: `npm error code ERESOLVE
»npm error ERESOLVE could not resolve
npm error
npm error While resolving: some-server@1.0.0
${Array.from({ length: 40 }, (_, n) => `npm error   peer b${n}@"2" from c${n}@1.0.0\n`).join('')}npm error Fix the upstream dependency conflict, or retry
npm error A complete log of this run can be found in: /srv/.npm/_logs/debug-0.log
`,
  pip: `ERROR: Could not find a version that satisfies the requirement left-out-xyz (from versions: none)
»ERROR: No matching distribution found for left-out-xyz
`,
  uvx: `  × No solution found when resolving tool dependencies:
  »╰─▶ Because left-out-xyz was not found in the package registry and you require left-out-xyz, we can conclude that
      your requirements are unsatisfiable.
`,
  go: `»panic: no database is configured

goroutine 1 [running]:
main.main()
	/srv/app/gop/main.go:2 +0x25
exit status 2
`,
  java: `Exception in thread "main" java.lang.IllegalStateException: no database is configured
	at Main.main(Main.java:1)
»Caused by: java.lang.RuntimeException: inner
	at java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
`,
  prefixed: `[2026-11-30 10:00:00] [info] started
»[2026-11-30 10:00:01] [error] could not load settings: one of ['a', 'b']
`,
  option: '»--token is required\n',
  pydantic: `»pydantic_core._pydantic_core.ValidationError: 12 validation errors for Settings
${Array.from({ length: 12 }, (_, n) => `field_${n}\n  Field required [type=missing, input_value={}, input_type=dict]\n`).join('')}`,
};
const explanationOf = (sample = ''): string => /»(.*?)(?:«|$)/m.exec(sample)?.[1] ?? '';
const stderrOf = (sample = ''): string => sample.replaceAll(/[»«]/g, '');

test.each(Object.entries(samples))('what %s said is explained by one line', (_, sample) => {
  const { lines, ...found } = explained(stderrOf(sample));
  expect(found.headline).toBe(explanationOf(sample));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(lines.join('\n')).not.toMatch(/Node\.js v|complete log of this run|node:internal/);
});

test('the message has one line, the details have up to ten', () => {
  const end = { how: 'failed', pid: 7, code: 1, signal: null, message: null } as const;
  expect(failureOfEnd('fs', { ...end, stderr: stderrOf(samples['nodeWithCause']) }, false)).toMatchObject({
    message: `Server 'fs' ended with exit code 1; stderr: ${explanationOf(samples['nodeWithCause'])}`,
    details: {
      stderr: expect.stringContaining('Error: settings are broken\n    at main (/srv/app/cause.js:1:66)'),
    },
  });
  const { details, message } = failureOfEnd('fs', { ...end, stderr: stderrOf(samples['npxUnknown']) }, false);
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
    `${stderrOf(samples['pythonRaised'])}${Array.from({ length: lines }, (_, n) => `served ${n}\n`).join('')}bye\n`;
  expect(explained(survived(3)).headline).toBe('ValueError: no database is configured');
  expect(explained(survived(30)).headline).toBe('bye');
});

test('what crashed goes before what npm says of it', () => {
  expect(explained(stderrOf(samples['nodeThrown']) + stderrOf(samples['npmNoFile'])).headline).toBe(
    explanationOf(samples['nodeThrown']),
  );
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
