/** The YAML of what JSON can say, and of bigints. Texts are quoted as in JSON, which YAML reads too. */
export function toYaml(value: unknown, indent = ''): string {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item: unknown) => ['-', item] as const)
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => [`${JSON.stringify(name)}:`, item] as const);
  if (items.length === 0) return Array.isArray(value) ? '[]' : '{}';
  return items.map(([start, item]) => `\n${indent}${start} ${toYaml(item, `${indent}  `)}`).join('');
}
