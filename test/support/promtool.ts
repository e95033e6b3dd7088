import { spawnSync } from 'node:child_process';

/** Whether the system has Prometheus' own tool. */
export function hasPromtool(): boolean {
  return spawnSync('promtool', ['--version']).status === 0;
}

/** Runs promtool in `folder`, and returns what it printed when it finds something wrong; otherwise null. */
export function promtoolProblem(folder: string, ...args: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? null : `${stdout}${stderr}`;
}
