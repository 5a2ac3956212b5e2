import type { RegisterCallback } from '../../../machines/office/rooms/register.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { redisRegister } from '../../../adapters/redis/register.ts';
import { RedisServer } from '../../fixtures/redis.ts';
import { registered } from '../registered.ts';
import { registerContract } from './register.contract.ts';

let redis: RedisServer;
beforeAll(async () => void (redis = await RedisServer.start()));
afterAll(() => redis.kill());

registered(
  'a register in Redis',
  registerContract(() =>
    Promise.resolve({
      open: () => redisRegister({ place: redis.url, leaseMs: 1_000 }),
      answer: <T>(ask: (told: RegisterCallback<T>) => void) =>
        new Promise<T | undefined>((resolve) => ask((result) => resolve(result))),
      until: async (holds) => {
        await expect.poll(holds, { timeout: 20_000, interval: 20 }).toBe(true);
      },
      forget: () => redis.forget(),
      [Symbol.asyncDispose]: () => redis.forget(),
    }),
  ),
);
