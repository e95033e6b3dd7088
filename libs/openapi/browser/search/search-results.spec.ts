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

  it('finds a word with a hyphen without it, and the other way round', () => {
    const places = ['time-out', 'timeout'].map((title) => ({ title, text: '', url: title }));
    for (const query of ['time-out', 'timeout'])
      expect(searchResults(places, query).map(({ url }) => url)).toEqual(['time-out', 'timeout']);
  });

  it('finds all, of which the page shows some', () => {
    const places = Array.from({ length: 22 }, (_, at) => ({ title: `pet ${at}`, text: '', url: `${at}` }));
    expect(searchResults(places, 'pet')).toHaveLength(22);
  });

  it('finds nothing for nothing', () => {
    expect(urls('  ')).toEqual([]);
  });
});
