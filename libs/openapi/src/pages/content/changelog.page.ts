/** The parts of a release are for different readers. */
const PART = /^For (\w+):$/m;

/** The changelog, in Markdown, without what is not released and what callers do not notice. */
export function changelogPage(changelog: string): string {
  const [title, ...releases] = changelog.split(/^(?=## )/m);
  const released = releases.filter((release) => !release.startsWith('## Unreleased'));
  return [title, ...released.map(forCallers)].join('');
}

function forCallers(release: string): string {
  const [head, ...parts] = release.split(PART);
  const text = parts.findIndex((reader) => reader === 'callers') + 1;
  return text === 0 ? head! : head! + parts[text]!.trimStart();
}
