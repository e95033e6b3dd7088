// Moves a finished build over the last one, file by file, so there is no moment without a build. What a program has
// started with stays: names of chunks and assets have a hash of their content, and files that are replaced go only
// after a week.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const DIST = 'dist';
const DESCRIPTION = join(DIST, 'build.json');
const STAYS_MS = 7 * 24 * 60 * 60 * 1000;

/** A new folder beside dist, as deep: maps name sources by relative paths. It is removed when this process ends. */
export function folderBeside(part) {
  for (const name of readdirSync('.')) {
    const pid = /^dist\.next-\w+-(\d+)/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(name, { recursive: true });
  }
  const folder = `${DIST}.next-${part}-${process.pid}`;
  mkdirSync(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether dist has a part of the build, whole and made from these sources. */
export function isCurrent(part, sources) {
  const last = lastBuild()[part];
  return last?.sources === sources && last.files.every((file) => existsSync(join(DIST, file)));
}

/** By part, the fingerprint of what it was made from and the names of its files. */
function lastBuild() {
  try {
    return JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {};
  }
}

/**
 * Moves all files of a folder into dist.
 *
 * @param part the name of what the folder has. Another part of the build stays as it is.
 * @param sources the fingerprint of what it was made from
 */
export function publish(part, folder, sources) {
  const files = filesIn(folder).sort(byUse);
  for (const file of files) {
    const target = join(DIST, file);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(folder, file), target);
  }
  const before = lastBuild();
  const after = { ...before, [part]: { sources, files } };
  removeOld(before, after);
  replaceFile(DESCRIPTION, JSON.stringify(after));
}

/** Nobody ever reads a part of it. */
export function replaceFile(path, text) {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text);
  renameSync(next, path);
}

/** Programs come last, after what they load; so does the list of the assets. */
function byUse(one, other) {
  const rank = (file) => (file.includes('/') ? Number(file.endsWith('/assets.json')) : 2);
  return rank(one) - rank(other);
}

function removeOld(before, after) {
  const [last, current] = [before, after].map(
    (build) => new Set(Object.values(build).flatMap(({ files }) => files)),
  );
  const now = new Date();
  for (const file of filesIn(DIST).filter((one) => !current.has(one))) {
    const path = join(DIST, file);
    if (path === DESCRIPTION) continue;
    // The week of an old file begins with the build that has replaced it.
    if (last.has(file)) utimesSync(path, now, now);
    else if (now - statSync(path).mtimeMs > STAYS_MS) rmSync(path);
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user is alive.
    return error.code === 'EPERM';
  }
}
