export { describeOnRedis } from './describe-on-redis.js';
export { hasRedisServer, RedisServer } from './redis-server.js';
