import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markdownTable } from 'markdown-table';

/** Of V8's sampling heap profiler. */
export interface ProfileNode {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** Methods that Nest calls. What they call counts as theirs. */
const STEPS = ['canActivate', 'intercept', 'transform'];
/** From the most to the least specific; the last one is of packages of Express. */
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^node:|^$/, 'Node'],
  [/\/node_modules\/(@nestjs|rxjs)\//, 'Nest: routes, guards, pipes, responses'],
  [/\/dist\/libs\/fast-express\//, 'the head of the response (fast-express)'],
  [/\/dist\/libs\/(operations|web\/src\/server)\//, 'connections, the log line, metrics'],
  [/\/dist\//, 'handlers, use cases, repositories, JSON'],
  [/\/node_modules\//, 'Express and its router'],
];

/** A table of what each guard, interceptor and pipe of the service allocates a request, and everything around them. */
export function stepsTable(profiles: ReadonlyMap<string, ProfileNode>, requests: number): string {
  const operations = [...profiles].map(([, profile]) => bytesByStep(profile));
  const names = [...new Set(operations.flatMap((bytes) => [...bytes.keys()]))];
  const sum = (name: string) => operations.reduce((total, bytes) => total + (bytes.get(name) ?? 0), 0);
  const isGroup = (name: string) => GROUPS.some(([, group]) => group === name);
  names.sort((one, other) => Number(isGroup(one)) - Number(isGroup(other)) || sum(other) - sum(one));
  const rows = names.map((name) => [
    name,
    ...operations.map((bytes) => ((bytes.get(name) ?? 0) / requests).toFixed(0)),
  ]);
  return markdownTable([['bytes a request', ...profiles.keys()], ...rows], {
    align: ['l', ...operations.map(() => 'r')],
  });
}

function bytesByStep(root: ProfileNode): Map<string, number> {
  const bytes = new Map<string, number>();
  const add = ({ callFrame, selfSize, children }: ProfileNode, within: string | null): void => {
    const isStep = within === null && STEPS.includes(callFrame.functionName) && isOurs(callFrame.url);
    const step = isStep ? classOf(callFrame) : within;
    const name = step ?? GROUPS.find(([urls]) => urls.test(callFrame.url))?.[1] ?? 'Node';
    bytes.set(name, (bytes.get(name) ?? 0) + selfSize);
    for (const child of children) add(child, step);
  };
  add(root, null);
  return bytes;
}

function isOurs(url: string): boolean {
  return url.includes('/dist/') && !url.includes('/node_modules/');
}

/** The class whose method it is: the last one that begins above it. */
function classOf({ url, lineNumber }: ProfileNode['callFrame']): string {
  const above = readFileSync(fileURLToPath(url), 'utf8')
    .split('\n')
    .slice(0, lineNumber + 1);
  return /.*class (\w+)/s.exec(above.join('\n'))![1]!;
}
