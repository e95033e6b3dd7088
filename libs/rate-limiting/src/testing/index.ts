export { describeOnRedis, describeOnRedisWithClock } from './describe-on-redis.js';
export { hasFaketime, hasRedisServer, RedisServer } from './redis-server.js';
