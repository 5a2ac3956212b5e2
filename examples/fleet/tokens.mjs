// Makes a token for each program of the fleet that has none: its hash and rights in tokens.json, for the office, and the
// token itself in NAME.env, for the program.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const fleet = {
  red: { agent: ['red-agent'], computer: ['red-1', 'red-2'] },
  blue: { agent: ['blue-agent'], computer: ['blue-1'] },
};
const url = process.env.A2C_URL ?? 'http://127.0.0.1:3000';
const file = 'tokens.json';
const mode = 0o600;

const tokens = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).tokens : [];
for (const [room, roles] of Object.entries(fleet))
  for (const [role, names] of Object.entries(roles))
    for (const name of names) {
      if (tokens.some(({ label }) => label === name)) continue;
      const token = randomBytes(32).toString('base64url');
      const sha256 = createHash('sha256').update(token).digest('hex');
      tokens.push({ sha256, label: name, offices: [room], roles: [role], names: [name] });
      const lines = [`A2C_URL=${url}`, `A2C_ROOM=${room}`, `A2C_NAME=${name}`, `A2C_TOKEN=${token}`];
      writeFileSync(`${name}.env`, `${lines.join('\n')}\n`, { mode });
    }
writeFileSync(file, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode });
