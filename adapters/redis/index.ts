export { redisRegister, type RedisOptions } from './redis-register.ts';
