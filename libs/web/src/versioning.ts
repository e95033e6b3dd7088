/** The version in a path, '1' of `/v1/ships`; null for a path of no version. */
export function versionOf(path: string): string | null {
  return /^\/v(\d+)(?:\/|$)/.exec(path)?.[1] ?? null;
}

/** @throws Error for a path of a version that is not in the list: below it an unknown path would need no key */
export function requireListedVersions(
  routes: readonly { readonly path: string }[],
  versions: readonly string[],
): void {
  for (const { path } of routes) {
    const version = versionOf(path);
    if (version !== null && !versions.includes(version))
      throw new Error(`${path} has version ${version}, which is not in VERSIONS.`);
  }
}
