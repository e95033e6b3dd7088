/** What the first start prints, so that the service can be tried at once. */
export function firstKeyNotice(key: string, url: string): string {
  return [
    'This is the first start, so here is a Free key to try the service with. It is shown only this once:',
    '',
    `  ${key}`,
    '',
    `  curl -H 'Authorization: Bearer ${key}' ${url}/pets`,
    '',
    '',
  ].join('\n');
}
