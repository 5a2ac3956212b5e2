// The office of the fleet, or one node of it: all with the same A2C_REDIS are one office. It reads tokens.json again when the file changes.
import { createOffice } from 'a2c-actors';

const office = await createOffice({
  host: process.env.HOST ?? '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  auth: { tokensFile: 'tokens.json' },
  redis: process.env.A2C_REDIS,
});
console.log(office.url);

office.on('seat.changed', ({ seat, state }) =>
  console.log(`${seat.role} ${seat.name} ${state} ${seat.office}`),
);
office.on('peer.refused', ({ address, detail }) => console.warn(`refused ${address}: ${detail}`));
office.on('auth.failed', ({ message }) => console.warn(message));

// Disconnects holders of tokens that were deleted from the file.
process.on('SIGHUP', () => office.reload().catch((error) => console.warn(error.message)));
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => void office.drain());
