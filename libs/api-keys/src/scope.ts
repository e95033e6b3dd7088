/** A scope as RFC 6749 section 3.3 defines it, because it is sent in a header. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Something that a key may be allowed to do. */
export interface Scope {
  readonly name: string;
  /** Whether only keys that name it have it. A key without scopes has all others. */
  readonly explicit: boolean;
}

/**
 * Defines a scope. List it in the `scopes` of `ApiKeysModule`: then no route and no key has one that is not defined.
 *
 * @throws RangeError for a name that a header cannot have, such as one with a space
 */
export function defineScope(name: string, { explicit = false }: { readonly explicit?: boolean } = {}): Scope {
  assertScope(name);
  return { name, explicit };
}

export function isScope(name: unknown): name is string {
  return typeof name === 'string' && SCOPE.test(name);
}

export function assertScope(name: unknown): void {
  if (!isScope(name))
    throw new RangeError(
      `A scope has one or more visible characters but " and \\, not ${JSON.stringify(name)}.`,
    );
}

export class Scopes {
  private readonly names: readonly string[] | null;
  /** What a route without scopes needs: null when only a key without scopes may call it. */
  readonly unnamed: readonly [] | null;
  private readonly explicit: ReadonlySet<string>;

  /** @param defined without it there may be any, and none is explicit */
  constructor(defined?: readonly Scope[]) {
    this.names = defined?.map(({ name }) => name) ?? null;
    this.unnamed = defined ? null : [];
    this.explicit = new Set(defined?.flatMap(({ name, explicit }) => (explicit ? [name] : [])));
  }

  /** What is wrong with a scope of this name, as a sentence; null when it is defined. */
  problemOf(name: string): string | null {
    if (this.names === null || this.names.includes(name)) return null;
    return `There is no scope ${name}; there are ${this.names.join(', ')}.`;
  }

  /** The explicit ones among these scopes, which a key must name. */
  explicitOf(names: readonly string[] | null): readonly string[] {
    return names?.filter((name) => this.explicit.has(name)) ?? [];
  }

  /**
   * Those of these scopes that a key does not have.
   * @param granted what the key names; null or undefined when it names none
   */
  missingOf(needed: readonly string[], granted: readonly string[] | null | undefined): readonly string[] {
    return granted ? needed.filter((name) => !granted.includes(name)) : this.explicitOf(needed);
  }
}
