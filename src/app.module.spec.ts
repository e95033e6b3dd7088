import { ExpressAdapter } from '@nestjs/platform-express';
import { JsonExpressAdapter } from '@animal-store/web';
import { AppModule } from './app.module.js';

describe('The application', () => {
  const startOn = (httpAdapter?: ExpressAdapter) => () =>
    new AppModule({ httpAdapter } as never).onModuleInit();

  it("says at the start that Nest's own adapter sends no int64", () => {
    expect(startOn(new ExpressAdapter())).toThrow('Create the application with new JsonExpressAdapter()');
  });

  it('starts on its own adapter, and as a program without a server', () => {
    expect(startOn(new JsonExpressAdapter(false))).not.toThrow();
    expect(startOn()).not.toThrow();
  });
});
