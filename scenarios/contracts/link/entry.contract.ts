import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MakeTransport, World } from './link-world.ts';

let world: World;

export function entryContract(make: MakeTransport): void {
  beforeEach(() => {
    world = new World(make({ relayMarginMs: 50, queryMs: 5_000 }));
  });
  afterEach(() => world.close());

  it.each(['0.99.0', '1.0.0'])(
    'a link that speaks %s is refused with what the office speaks',
    async (version) => {
      const { url, facts } = await world.office();
      const link = world.tryLink(url, { version });
      const refused = await world.fact(link, 'link.refused');
      expect(refused).toMatchObject({ refusal: 'version', version: '0.2.0' });
      expect(refused.reason).toContain('we speak 0.2.0');
      expect([link.facts.length, facts.length]).toEqual([1, 1]);
    },
  );
  it.each(['0.1.0', '0.2.7', '0.4.0'])('a link that speaks %s sits', async (version) => {
    const { url } = await world.office(0, { requireVersion: true });
    await world.joined(url, { version });
  });
}
