import type { Type } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { TestApp } from './test-app.js';

/** The application with one more module, as if somebody had added it. */
export async function startWith(module: Type): Promise<TestApp> {
  const forRoot = AppModule.forRoot.bind(AppModule);
  const spy = jest.spyOn(AppModule, 'forRoot').mockImplementation((parts) => {
    const root = forRoot(parts);
    // The last one takes the requests that all others leave.
    return { ...root, imports: [...root.imports!.slice(0, -1), module, root.imports!.at(-1)!] };
  });
  const store = await TestApp.start();
  spy.mockRestore();
  return store;
}
