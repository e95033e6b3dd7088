import type { Actor } from './actor.js';
import { closing, desync } from './closing.actor.js';
import { guessing } from './guessing.actor.js';
import { badChunking, endlessBody, expectation, headerFlood, malformed } from './messages.actor.js';
import { burst, flood, preflights } from './numbers.actor.js';
import { pipelining, stalled, unreadAssets } from './pipelining.actor.js';
import { resets } from './resets.actor.js';
import { halfClose, silent, slowReader, slowSender } from './slowness.actor.js';
import { connect, upgrade } from './tunnels.actor.js';

export const actors: readonly Actor[] = [
  connect,
  upgrade,
  closing,
  desync,
  pipelining,
  stalled,
  unreadAssets,
  slowReader,
  slowSender,
  silent,
  halfClose,
  malformed,
  headerFlood,
  endlessBody,
  badChunking,
  expectation,
  resets,
  guessing,
  preflights,
  flood,
  burst,
];
