import { nearestName } from './nearest-name.js';

const NAMES = ['PORT', 'HOST', 'DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL'];

describe('nearestName', () => {
  it.each([
    ['PROT', 'PORT'],
    ['port', 'PORT'],
    ['HOTS', 'HOST'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('of %s is %s', (text, name) => {
    expect(nearestName(text, NAMES)).toBe(name);
  });

  it.each(['COLOUR', 'X', '', 'PASSWORD'])('of %j is none', (text) => {
    expect(nearestName(text, NAMES)).toBeNull();
  });
});
