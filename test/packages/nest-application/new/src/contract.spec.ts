/** A store passes the contract of the tarball, in an application as `nest new` makes it. */
import { MemoryRateLimitStore } from '@animal-store/rate-limiting';
import { describeRateLimitStore } from '@animal-store/rate-limiting/contract';

describeRateLimitStore(
  'MemoryRateLimitStore',
  (bans, monotonicMs) => new MemoryRateLimitStore({ bans, monotonicMs }),
);
