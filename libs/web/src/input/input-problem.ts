/** Names with a special meaning in JavaScript, which class-transformer silently drops. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * The first problem of a value that no rule sees, at any depth: a text that no database stores, or a name that means
 * something in JavaScript. Null for every other value.
 *
 * @param path of the value: empty for a whole body or query
 */
export function inputProblem(value: unknown, path: string): string | null {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    return problem && `${path} ${problem}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    if (FORBIDDEN.includes(name)) return `"${name}" is not a field ${path === '' ? 'here' : `of ${path}`}`;
    const ofName = isList ? null : textProblem(name);
    if (ofName) return `${path || 'a name'} ${ofName}`;
    const problem = inputProblem(item, isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
    if (problem) return problem;
  }
  return null;
}

/**
 * The problem with a text that a database cannot store, phrased to follow the name of its field; null for every other
 * text. PostgreSQL refuses U+0000. A lone surrogate has no UTF-8, so it would be stored as another character.
 */
function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? null : 'must not contain lone surrogates';
}
