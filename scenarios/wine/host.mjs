// Host: `host.mjs CONFIG STATE_FOLDER true|false`, with the config as JSON. It has a ledger as every host, with or without the
// reaper. The message `close` ends it in order; `{call: [tool, args]}` is answered with `{tool, outcome, text}`. It sends `marked`
// when its state file was marked.
import { existsSync, statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createComputer } from '../../dist/actors/index.js';

const [config, stateDir, reaper] = process.argv.slice(2);
const computer = await createComputer({
  config: JSON.parse(config),
  confirm: 'allow',
  stateDir,
  reaper: reaper === 'true',
});
const hosts = join(stateDir, 'hosts');
const times = () =>
  (existsSync(hosts) ? readdirSync(hosts) : []).map((name) => statSync(join(hosts, name)).mtimeMs);
let first;
const looking = setInterval(() => {
  const [time] = times();
  first ??= time;
  if (time === first) return;
  process.send('marked');
  clearInterval(looking);
}, 200);
async function call([tool, args]) {
  const { outcome, result, failure } = await computer.callTool(tool, args, { timeoutMs: 240_000 });
  process.send({ tool, outcome, text: result?.content[0]?.text ?? failure?.message });
}
process.on('message', (message) => {
  if (message.call) return void call(message.call);
  clearInterval(looking);
  void computer.close().then(() => process.exit(0));
});
