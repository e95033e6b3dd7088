/** An addition of an animal, as its sender knows it. */
export interface Addition {
  readonly name: string;
  readonly invokedMs: number;
  /** Null unless it was acknowledged. */
  readonly id: number | null;
}

export interface StoredAnimal {
  readonly id: number;
  readonly name: string;
}

/**
 * What a server that starts has lost of what was acknowledged, or has although nobody sent it.
 * @param cutMs when something cut what was stored: it may have lost what was sent before, from some animal on
 */
export function losses(
  additions: readonly Addition[],
  stored: readonly StoredAnimal[],
  cutMs = -Infinity,
): string[] {
  const findings: string[] = [];
  const sent = new Map(additions.map((addition) => [addition.name, addition]));
  const names = new Set<string>();
  for (const { id, name } of stored) {
    const addition = sent.get(name);
    if (addition === undefined) findings.push(`Nobody added animal ${id} (${name}).`);
    else if (addition.id !== null && addition.id !== id)
      findings.push(`${name} was acknowledged as ${addition.id}, and is ${id}.`);
    if (names.has(name)) findings.push(`${name} is there twice.`);
    names.add(name);
  }
  const lastId = Math.max(0, ...stored.map(({ id }) => id));
  for (const { name, id, invokedMs } of additions) {
    if (id === null || names.has(name)) continue;
    if (invokedMs > cutMs) findings.push(`${name} was acknowledged as ${id}, and is lost.`);
    else if (id < lastId) findings.push(`${name} (${id}) is lost, and ${lastId} after it is not.`);
  }
  return findings;
}
