import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Request, Response } from 'express';
import { sendStatic, type StaticContent, staticContent } from './static-content.js';

/** Made by the build, below the folder of the package. */
const FOLDER = join('dist', 'assets');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};
/** The smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];
/** A year. Their names have a hash of their content, so browsers never request one twice. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** What the last build has made. Files of earlier ones are beside it for a week. */
interface Built {
  readonly client: string;
  readonly guides: readonly string[];
  /** The names with a hash, by those without. */
  readonly files: Readonly<Record<string, string>>;
}

export class Assets {
  private readonly contents: ReadonlyMap<string, StaticContent>;

  private constructor(
    private readonly folder: string,
    private readonly built: Built,
  ) {
    this.contents = new Map(this.all.map((file) => [file, contentOf(join(folder, file))]));
  }

  /** @throws Error when the assets were not built */
  static open(): Assets {
    const folder = assetsFolder(import.meta.dirname);
    return new Assets(folder, JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8')) as Built);
  }

  /** The file with the hash in its name. */
  fileOf(name: string): string {
    const file = this.built.files[name];
    if (file === undefined) throw new Error(`dist/assets has no ${name}: build the service.`);
    return file;
  }

  /** A text that the build copies and a page is made from. */
  text(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** The guides, by their names without the end. */
  get guides(): (readonly [name: string, text: string])[] {
    return this.built.guides.map((file) => [basename(file, '.md'), this.text(join('guides', file))]);
  }

  /** The package of the TypeScript client, which the build has packed. */
  clientPackage(): { readonly name: string; readonly bytes: Buffer } {
    const { client } = this.built;
    return { name: client, bytes: readFileSync(join(this.folder, client)) };
  }

  /** Every file, by its name with the hash. */
  get all(): string[] {
    return Object.values(this.built.files);
  }

  /** Sends one of `all`, compressed as the build did it. */
  send(file: string, request: Request, response: Response): Promise<void> {
    return sendStatic(request, response, this.contents.get(file)!);
  }
}

function contentOf(path: string): StaticContent {
  const type = extname(path);
  const bytes = readFileSync(path);
  const suffixes = type === '.png' ? [] : ENCODINGS;
  const encodings = suffixes.map(({ name, suffix }) => ({ name, bytes: readFileSync(path + suffix) }));
  return staticContent(TYPES[type]!, bytes, { cacheControl: CACHE_CONTROL, encodings });
}

/** The programs are bundled, so how deep this file is differs from build to source. */
function assetsFolder(from: string): string {
  const folder = join(from, FOLDER);
  if (existsSync(join(folder, 'assets.json'))) return folder;
  const parent = dirname(from);
  if (parent === from) throw new Error(`There is no ${FOLDER}: build the service ("npm run build").`);
  return assetsFolder(parent);
}
