/** The target of the link with this relation (RFC 8288). */
export function linkTarget(headers: Headers, relation: string): string | null {
  const links = headers.get('Link')?.matchAll(/<([^>]*)>\s*;\s*rel="([^"]*)"/g) ?? [];
  for (const [, target, rel] of links) if (rel === relation) return target!;
  return null;
}
