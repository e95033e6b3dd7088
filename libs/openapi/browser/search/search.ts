/** The script of every page: the search over operations, errors and pages. */
import { type SearchResult, searchResults } from './search-results.js';

const MAX_SHOWN = 12;

const root = document.getElementById('search')!;
const input = document.createElement('input');
const results = document.createElement('div');
const count = document.createElement('p');
const list = document.createElement('ul');

input.type = 'search';
input.placeholder = 'Search ( / )';
input.setAttribute('aria-label', 'Search operations, errors and pages');
count.setAttribute('role', 'status');
results.className = 'found';
results.hidden = true;
results.append(count, list);
root.append(input, results);

/** Loaded at the first search. */
let places: Promise<readonly SearchResult[]> | null = null;

async function show(): Promise<void> {
  try {
    const found = searchResults(await (places ??= load()), input.value);
    const shown = found.slice(0, MAX_SHOWN);
    const ofThem = shown.length < found.length ? `, the first ${MAX_SHOWN} shown` : '';
    count.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found${ofThem}`;
    list.replaceChildren(...shown.map(item));
  } catch {
    places = null;
    count.textContent = 'The search does not respond.';
    list.replaceChildren();
  }
  results.hidden = input.value.trim() === '';
}

async function load(): Promise<readonly SearchResult[]> {
  const response = await fetch(root.dataset['index']!);
  if (!response.ok) throw new Error(`${response.status}`);
  return (await response.json()) as SearchResult[];
}

function item({ title, text, url }: SearchResult): HTMLElement {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  const line = document.createElement('li');
  line.append(link, ` ${text}`);
  return line;
}

function hide(): void {
  results.hidden = true;
}

addEventListener('keydown', (event) => {
  const on = event.target as HTMLElement;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || on.matches('input, textarea, select')) return;
  event.preventDefault();
  input.focus();
});
input.addEventListener('input', () => void show());
list.addEventListener('click', hide);
root.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  hide();
  input.focus();
});
root.addEventListener('focusout', ({ relatedTarget }) => {
  if (!root.contains(relatedTarget as Node | null)) hide();
});
