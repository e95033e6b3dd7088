import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Request, Response } from 'express';

/** Made by scripts/build-assets.mjs, below the folder of the package. */
const FOLDER = join('dist', 'assets');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};
/** The smallest first: browsers list what they accept in no order of preference. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];
const YEAR_MS = 31_536_000_000;

/** The files that pages load. Their names have a hash of their content, so browsers never ask for one twice. */
export class Assets {
  private constructor(
    private readonly folder: string,
    private readonly files: Readonly<Record<string, string>>,
  ) {}

  /** @throws Error when the assets were not built */
  static open(): Assets {
    const folder = assetsFolder(import.meta.dirname);
    const files = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8')) as Record<string, string>;
    return new Assets(folder, files);
  }

  /** The file with the hash in its name. */
  fileOf(name: string): string {
    const file = this.files[name];
    if (file === undefined) throw new Error(`dist/assets has no ${name}: build the service.`);
    return file;
  }

  /** A text that the build copies and a page is made from. */
  text(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Every file, by its name with the hash. */
  get all(): string[] {
    return Object.values(this.files);
  }

  /** Sends one of `all`, compressed as the build did it. */
  send(file: string, request: Request, response: Response): void {
    const type = extname(file);
    response.setHeader('Content-Type', TYPES[type]!);
    let sent = file;
    if (type !== '.png') {
      response.setHeader('Vary', 'Accept-Encoding');
      const encoding = ENCODINGS.find(({ name }) => request.acceptsEncodings(name));
      if (encoding) {
        response.setHeader('Content-Encoding', encoding.name);
        sent += encoding.suffix;
      }
    }
    response.sendFile(sent, { root: this.folder, maxAge: YEAR_MS, immutable: true, acceptRanges: false });
  }
}

/** The programs are bundled, so how deep this file is differs from build to source. */
function assetsFolder(from: string): string {
  const folder = join(from, FOLDER);
  if (existsSync(join(folder, 'assets.json'))) return folder;
  const parent = dirname(from);
  if (parent === from) throw new Error(`There is no ${FOLDER}: build the service ("npm run build").`);
  return assetsFolder(parent);
}
