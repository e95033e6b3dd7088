import { searchResults } from './search-results.js';

const PLACES = [
  { title: 'GET /pets', text: 'List animals · listPets', url: '/docs#/Pets/listPets' },
  { title: 'GET /pets/{petId}', text: 'Get an animal · getPet', url: '/docs#/Pets/getPet' },
  { title: 'pet_not_found', text: 'Errors', url: '/docs/errors#pet_not_found' },
];
const urls = (query: string) => searchResults(PLACES, query).map(({ url }) => url);

describe('The search', () => {
  it('finds what has every word, in any order and case', () => {
    expect(urls('animals LIST')).toEqual(['/docs#/Pets/listPets']);
    expect(urls('list nothing')).toEqual([]);
  });

  it('shows first what begins with the words', () => {
    expect(urls('pet')).toEqual(['/docs/errors#pet_not_found', '/docs#/Pets/listPets', '/docs#/Pets/getPet']);
  });

  it('finds nothing for nothing', () => {
    expect(urls('  ')).toEqual([]);
  });
});
