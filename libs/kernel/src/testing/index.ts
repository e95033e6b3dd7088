export { anyCharacter } from './any-character.js';
export { FakeClock } from './fake-clock.js';
export { freePort } from './free-port.js';
export { ManualTimers } from './manual-timers.js';
export { RecordedOutbox } from './recorded-outbox.js';
