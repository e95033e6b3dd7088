export function articleOf(word: string): 'a' | 'an';
