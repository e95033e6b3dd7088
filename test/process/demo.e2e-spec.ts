import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';

describe('The demo', () => {
  it('opens a store with animals and keys to try, and removes everything on Ctrl-C', async () => {
    const demo = spawn(process.execPath, ['scripts/demo.mjs'], {
      cwd: resolve(__dirname, '../..'),
      env: { PATH: process.env['PATH'], PORT: '0' },
    });
    const ended = once(demo, 'exit');
    let complaints = '';
    demo.stderr.on('data', (text: Buffer) => (complaints += text.toString()));
    let guide = '';
    for await (const text of demo.stdout) {
      guide += String(text);
      if (guide.includes('unban')) break;
    }
    expect(complaints).toBe('');

    const [, docs] = /Explore it in the browser: +(\S+)/.exec(guide)!;
    const [, free] = /Free .* (ask_live_\w+)/.exec(guide)!;
    const [, tiny] = /Tiny .* (ask_live_\w+)/.exec(guide)!;
    const [, folder] = /DATABASE_URL=sqlite:(\S+)\/animal-store.db/.exec(guide)!;
    const get = (key: string) =>
      fetch(docs!.replace('/docs', '/v1/pets?limit=100'), { headers: { Authorization: `Bearer ${key}` } });

    expect((await fetch(docs!)).status).toBe(200);
    expect(await (await get(free!)).json()).toHaveLength(30);
    expect((await get(tiny!)).headers.get('X-RateLimit-Limit')).toBe('3');
    expect(existsSync(folder!)).toBe(true);

    demo.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(folder!)).toBe(false);
  });

  it('says how to set another port when its own is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { status, stderr } = spawnSync(process.execPath, ['scripts/demo.mjs'], {
      cwd: resolve(__dirname, '../..'),
      env: { PATH: process.env['PATH'], PORT: String(port) },
      encoding: 'utf8',
    });
    holder.close();

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        `Port ${port} on 127.0.0.1 is in use by another process. Stop it, or set PORT to another one, such as ${port + 1}.\n` +
        'The demo can take any port: PORT=0 npm run demo\n',
    });
  });
});
