// Host of one server: `host.mjs COMMAND STATE_FOLDER true|false`. It has a ledger as every host, with or without the
// reaper. The message `close` ends it in order; it sends `marked` when its state file was marked.
import { statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createComputer } from '../../dist/actors/index.js';

const [command, stateDir, reaper] = process.argv.slice(2);
const computer = await createComputer({
  config: { mcpServers: { shim: { command } } },
  stateDir,
  reaper: reaper === 'true',
});
const hosts = join(stateDir, 'hosts');
const times = () => readdirSync(hosts).map((name) => statSync(join(hosts, name)).mtimeMs);
let first;
const looking = setInterval(() => {
  const [time] = times();
  first ??= time;
  if (time === first) return;
  process.send('marked');
  clearInterval(looking);
}, 200);
process.on('message', () => {
  clearInterval(looking);
  void computer.close().then(() => process.exit(0));
});
