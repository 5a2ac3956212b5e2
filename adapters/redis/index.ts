export type { RedisClient } from './clients.ts';
export { A2cRedisError } from './redis-errors.ts';
export { redisRegister } from './redis-register.ts';
