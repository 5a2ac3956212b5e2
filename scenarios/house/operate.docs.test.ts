import { expect, it } from 'vitest';
import { configOfPage } from '../fixtures/chaos/nginx.ts';

it('the page of operation shows the nginx config that the chaos of nodes runs with, but for addresses and TLS', () => {
  const config = configOfPage(['198.18.2.11:3000', '198.18.2.12:3000', '198.18.2.13:3000'], ['198.18.2.2']);
  for (const address of ['11', '12', '13']) expect(config).toContain(`server 198.18.2.${address}:3000 `);
  expect(config).toContain('listen 198.18.2.2:80;');
  expect(config).not.toMatch(/10\.0\.0\.|ssl/);
});
