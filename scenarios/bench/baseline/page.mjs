// Inspector page without a browser: attaches to the inspector at the given address and reads what it is sent; with
// `whole` as its second argument all records, as a page that shows them.
import { WebSocket } from 'ws';

const { host, origin, hash } = new URL(process.argv[2]);
const token = hash.slice('#token='.length);
const socket = new WebSocket(`ws://${host}/attach`, ['a2c-inspect.1', `token.${token}`], {
  headers: { origin },
});
socket.once('message', () => {
  if (process.argv[3] === 'whole')
    socket.send(JSON.stringify({ type: 'ask', id: 1, what: 'records', isWhole: true }));
  console.log('attached');
});
socket.on('close', () => process.exit());
