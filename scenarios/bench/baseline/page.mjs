// Inspector page without a browser: attaches to the inspector at the given address and reads what it is sent.
import { WebSocket } from 'ws';

const { host, origin, hash } = new URL(process.argv[2]);
const token = hash.slice('#token='.length);
const socket = new WebSocket(`ws://${host}/attach`, ['a2c-inspect.1', `token.${token}`], {
  headers: { origin },
});
socket.once('message', () => console.log('attached'));
socket.on('close', () => process.exit());
