import { spawnSync } from 'node:child_process';

/** Whether the system has systemd's own checker of units. */
export function hasSystemd(): boolean {
  return spawnSync('systemd-analyze', ['--version']).status === 0;
}
