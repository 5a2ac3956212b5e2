// A computer: `node computer.mjs URL`. computer.py is the same with the Python SDK.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createComputer } from 'a2c-actors';

const server = fileURLToPath(new URL('../greeter.mjs', import.meta.url));

// `Computer`, `boot_up`, `SMCPComputerClient`, `connect` and `join_office` in one; it joins again by itself.
const computer = await createComputer({
  name: 'laptop',
  config: { mcpServers: { greeter: { command: 'node', args: [server] } } },
  confirm: ({ tool }) => (tool === 'greet' ? 'allow' : 'deny'),
  office: { url: process.argv[2], id: 'team' },
});
// `boot_up` waited for the servers; this one starts while the program goes on.
await computer.servers.start('greeter');
console.log('laptop is in the office');
// Until its input ends.
await once(process.stdin.resume(), 'end');
await computer.close();
