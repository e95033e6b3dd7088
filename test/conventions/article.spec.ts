import { articleOf } from '../../scripts/article.mjs';

describe('The article of what a context is about', () => {
  it.each([
    'owl',
    'animal',
    'xray',
    'hour',
    'heir',
    'honor',
    'umbrella',
    'urn',
    'usher',
    'onion',
    'uncle',
    'uninvited',
    'honesty',
  ])('an %s', (word) => expect(articleOf(word)).toBe('an'));

  it.each([
    'visit',
    'house',
    'user',
    'unit',
    'university',
    'utility',
    'euro',
    'ewe',
    'xylophone',
    'year',
    'one',
    'once',
    'usurer',
    'utensil',
    'uranium',
  ])('a %s', (word) => expect(articleOf(word)).toBe('a'));
});
