// A computer of the fleet: node --env-file=NAME.env computer.mjs
import { fileURLToPath } from 'node:url';
import { createComputer } from 'a2c-actors';

const { A2C_URL: url, A2C_ROOM: room, A2C_NAME: name, A2C_TOKEN: token } = process.env;

const computer = await createComputer({
  name,
  office: { url, id: room, auth: token, keepTrying: true },
  config: {
    mcpServers: {
      machine: {
        command: process.execPath,
        args: [fileURLToPath(new URL('usage.mjs', import.meta.url))],
      },
    },
  },
  // One tool is allowed, everything else refused: there is no user to ask.
  confirm: ({ server, tool }) => (server === 'machine' && tool === 'usage' ? 'allow' : 'deny'),
  onNotice: (text) => console.warn(text),
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void computer.close());

const show = ({ state, reason }) => console.log(reason === null ? state : `${state}: ${reason}`);
computer.on('link.changed', show);
show(computer.status().link);
