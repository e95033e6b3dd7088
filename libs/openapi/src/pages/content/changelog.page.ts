/** The parts of a release are for different readers. */
const PART = /^For (\w+):$/m;

/** The parts that have a version of their own. */
export interface Versions {
  readonly interface: string;
  readonly client: string;
}

/** The changelog of this build for callers, in Markdown. A build may be ahead of its last release. */
export function changelogPage(changelog: string, versions: Versions): string {
  const [title, ...releases] = changelog.split(/^(?=## )/m);
  const [, service] = /^## (\d\S*)/m.exec(changelog)!;
  const shown = releases
    .map(forCallers)
    .filter((release) => !/^## Unreleased\s*$/.test(release))
    .map((release) => release.replace('## Unreleased', '## Runs here, not released yet'));
  const table = `| What | Version here |
| --- | --- |
| Interface | ${versions.interface} |
| Service | ${service}${shown[0]?.startsWith('## Runs here') ? ', and what is not released yet' : ''} |
| TypeScript client | ${versions.client} |

`;
  return [title, table, ...shown].join('');
}

function forCallers(release: string): string {
  const [head, ...parts] = release.split(PART);
  const text = parts.findIndex((reader) => reader === 'callers') + 1;
  return text === 0 ? head! : head! + parts[text]!.trimStart();
}
