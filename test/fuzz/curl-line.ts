import type { FuzzRequest } from './fuzz-request.js';

/** A shell command that sends `request` again, with placeholders for its API keys. */
export function curlLine(port: number, { method, path, headers, body }: FuzzRequest): string {
  const url = quoted(`http://127.0.0.1:${port}${path}`);
  const words = ['curl -i --globoff --path-as-is', method === 'HEAD' ? '--head' : `-X ${method}`, url];
  for (const [name, value] of headers) {
    const text = value.replace(/ask_(live|test)_\w+/g, '<API_KEY>');
    words.push(`-H ${quoted(text === '' ? `${name};` : `${name}: ${text}`)}`);
  }
  if (body !== null) {
    // Without this option curl sends the Content-Type of a form.
    if (!headers.some(([name]) => name === 'Content-Type')) words.push("-H 'Content-Type:'");
    words.push(`--data-binary ${quoted(body.toString('latin1'))}`);
  }
  return words.join(' ');
}

/** The text in $'…' quotes of bash, which can contain every byte except NUL. */
function quoted(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.charCodeAt(0);
    if (character === '\\' || character === "'") return `\\${character}`;
    return code < 0x20 || code > 0x7e ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `$'${escaped.join('')}'`;
}
