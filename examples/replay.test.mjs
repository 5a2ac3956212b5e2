// Holds every trace beside it against the installed a2c-actors: node --test examples/replay.test.mjs
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { replay } from 'a2c-actors/replay';

const folder = fileURLToPath(new URL('traces', import.meta.url));
for (const name of readdirSync(folder))
  await test(`${name} is the same as ever`, async () => {
    const { verdict, text } = await replay(`${folder}/${name}`);
    assert.equal(verdict, 'same', text);
  });
