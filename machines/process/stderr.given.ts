/** Samples of real stderr output of programs that crashed; folders and addresses are invented, long lists are shortened. */
export const stderrs = {
  nodeSyntax: `/srv/app/syntax.js:2
const b = ;
          ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at Module._compile (node:internal/modules/cjs/loader:1495:20)
    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)

Node.js v20.20.2
`,
  nodeMissingModule: `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'left-out'
Require stack:
- /srv/app/missing.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at Module.require (node:internal/modules/cjs/loader:1289:19)
    at require (node:internal/modules/helpers:182:18)
    at Object.<anonymous> (/srv/app/missing.js:1:11)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/app/missing.js' ]
}

Node.js v20.20.2
`,
  nodeMissingPackage: `node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-out' imported from /srv/app/missing.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at moduleResolve (node:internal/modules/esm/resolve:946:18)
    at defaultResolve (node:internal/modules/esm/resolve:1188:11)
    at ModuleJob._link (node:internal/modules/esm/module_job:168:49) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2
`,
  nodeThrown: `starting server
/srv/app/thrown.js:2
function start() { throw new TypeError('no database is configured'); }
                   ^

TypeError: no database is configured
    at start (/srv/app/thrown.js:2:26)
    at Object.<anonymous> (/srv/app/thrown.js:3:1)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v20.20.2
`,
  nodeThrownInPackage: `/srv/app/node_modules/dep/index.js:1
exports.open = () => { throw new Error("connect refused"); };
                       ^

Error: connect refused
    at exports.open (/srv/app/node_modules/dep/index.js:1:30)
    at boot (/srv/app/dep.js:2:19)
    at Object.<anonymous> (/srv/app/dep.js:3:1)

Node.js v20.20.2
`,
  nodeRejected: `/srv/app/reject.js:1
async function load() { throw new Error('cannot read settings'); }
                              ^

Error: cannot read settings
    at load (/srv/app/reject.js:1:31)
    at Object.<anonymous> (/srv/app/reject.js:2:1)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v20.20.2
`,
  nodeRejectedWithText: `node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "nope".
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)
    at processPromiseRejections (node:internal/process/promises:470:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2
`,
  nodeThrewText: `
/srv/app/throwstr.js:1
throw 'nope';
^
nope
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)

Node.js v20.20.2
`,
  nodeWithCause: `/srv/app/cause.js:1
function main() { try { JSON.parse('{'); } catch (cause) { throw new Error('settings are broken', { cause }); } }
                                                           ^

Error: settings are broken
    at main (/srv/app/cause.js:1:66)
    at Object.<anonymous> (/srv/app/cause.js:2:1)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/run_main_module:28:49 {
  [cause]: SyntaxError: Expected property name or '}' in JSON at position 1
      at JSON.parse (<anonymous>)
      at main (/srv/app/cause.js:1:30)
      at Object.<anonymous> (/srv/app/cause.js:2:1)
}

Node.js v20.20.2
`,
  nodeListen: `node:events:502
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRNOTAVAIL: address not available 192.0.2.1:1
    at Server.setupListenHandle [as _listen2] (node:net:1886:21)
    at listenInCluster (node:net:1965:12)
    at doListen (node:net:2139:7)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1944:8)
    at process.processTicksAndRejections (node:internal/process/task_queues:82:21) {
  code: 'EADDRNOTAVAIL',
  errno: -99,
  syscall: 'listen',
  address: '192.0.2.1',
  port: 1
}

Node.js v20.20.2
`,
  nodeManyErrors: `node:internal/process/promises:391
    triggerUncaughtException(err, true /* fromPromise */);
    ^

[AggregateError: All promises were rejected] {
  [errors]: [
    Error: one
        at Object.<anonymous> (/srv/app/agg.js:1:29)
        at Module._compile (node:internal/modules/cjs/loader:1521:14)
        at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)
        at node:internal/main/run_main_module:28:49,
    Error: two
        at Object.<anonymous> (/srv/app/agg.js:1:63)
        at Module._compile (node:internal/modules/cjs/loader:1521:14)
        at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)
  ]
}

Node.js v20.20.2
`,
  nodePrinted: `hi
Server failed to start: TypeError: Cannot read properties of null (reading 'x')
    at [eval]:1:33
    at runScriptInThisContext (node:internal/vm:209:10)
    at node:internal/process/execution:118:14
`,
  nodeHeap: `
<--- Last few GCs --->

[27319:0x2a9e1e20]       30 ms: Mark-Compact 12.9 (21.2) -> 12.5 (29.2) MB, 1.22 / 0.00 ms  (+ 0.0 ms in 1 steps since start of marking, biggest step 0.0 ms, walltime since start of marking 5 ms) (ave


<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
 2: 0xee8300 v8::Utils::ReportOOMFailure(v8::internal::Isolate*, char const*, v8::OOMDetails const&) [node]
 3: 0xee85e7 v8::internal::V8::FatalProcessOutOfMemory(v8::internal::Isolate*, char const*, v8::OOMDetails const&) [node]
Aborted
`,
  nodeOption: `node: bad option: --badopt
`,
  exitWithUsage: `Error: missing required environment variable API_KEY
Usage: server --key KEY
`,
  pythonRaised: `Traceback (most recent call last):
  File "/srv/app/boom.py", line 3, in <module>
    load()
  File "/srv/app/boom.py", line 2, in load
    raise ValueError("no database is configured")
ValueError: no database is configured
`,
  pythonModule: `Traceback (most recent call last):
  File "/srv/app/mod.py", line 1, in <module>
    import left_out
ModuleNotFoundError: No module named 'left_out'
`,
  pythonSyntax: `  File "/srv/app/syn.py", line 1
    def x(:
          ^
SyntaxError: invalid syntax
`,
  pythonChained: `Traceback (most recent call last):
  File "/srv/app/chain.py", line 3, in a
    int("x")
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/chain.py", line 6, in <module>
    a()
  File "/srv/app/chain.py", line 5, in a
    raise RuntimeError("settings are broken\\nsee line 3") from e
RuntimeError: settings are broken
see line 3
`,
  pythonGroup: `  + Exception Group Traceback (most recent call last):
  |   File "/srv/app/grp.py", line 5, in <module>
  |     asyncio.run(main())
  |   File "/usr/lib/python3.11/asyncio/runners.py", line 190, in run
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/grp.py", line 2, in f
    |     async def f(): raise ValueError("inner")
    |                    ^^^^^^^^^^^^^^^^^^^^^^^^^
    | ValueError: inner
    +------------------------------------
`,
  pythonExit: `API_KEY is missing
`,
  pythonNoModule: `/usr/bin/python3: No module named left_out
`,
  npxOffline: `npm warn deprecated left-pad@1.3.0: use String.prototype.padStart()
npm error code ENOTCACHED
npm error request to https://registry.example/left-out-mcp failed: cache mode is 'only-if-cached' but no cached response is available.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-23T04_03_48_660Z-debug-0.log
`,
  npxUnknown: `npm warn deprecated left-pad@1.3.0: use String.prototype.padStart()
npm error code E404
npm error 404 Not Found - GET https://registry.example/@left-out-q%2fxyz
npm error 404
npm error 404  The requested resource '@left-out-q/xyz@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-23T04_03_49_206Z-debug-0.log
`,
  npmNoFile: `npm warn deprecated left-pad@1.3.0: use String.prototype.padStart()
npm error code ENOENT
npm error syscall open
npm error path /srv/app/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/app/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-23T04_03_50_164Z-debug-0.log
`,
  pip: `ERROR: Could not find a version that satisfies the requirement left-out-xyz (from versions: none)
ERROR: No matching distribution found for left-out-xyz
`,
  uvx: `  × No solution found when resolving tool dependencies:
  ╰─▶ Because left-out-xyz was not found in the package registry and you require left-out-xyz, we can conclude that
      your requirements are unsatisfiable.
`,
  shellNotFound: `sh: 1: left-out: not found
`,
  bashNotFound: `bash: line 1: left-out: command not found
`,
  shellNoFile: `cat: /nope: No such file or directory
`,
  go: `panic: no database is configured

goroutine 1 [running]:
main.main()
	/srv/app/gop/main.go:2 +0x25
exit status 2
`,
  java: `Exception in thread "main" java.lang.IllegalStateException: no database is configured
	at Main.go(Main.java:1)
	at Main.main(Main.java:1)
Caused by: java.lang.RuntimeException: inner
	at Main.go(Main.java:1)
	at Main.main(Main.java:1)
	at java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
`,
} as const;
