import { readdirSync } from 'node:fs';

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.includes('/') && file.endsWith('.scenario.ts'));
for (const file of files.toSorted()) await import(/* @vite-ignore */ `./${file}`);
