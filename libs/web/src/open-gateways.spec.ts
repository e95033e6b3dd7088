import { Injectable, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public } from '@animal-store/api-keys';
import { refuseOpenGateways } from './open-gateways.js';

/** As `@WebSocketGateway()` marks a class. */
function Gateway(): ClassDecorator {
  return (target) => Reflect.defineMetadata('websockets:is_gateway', true, target);
}

@Gateway()
@Injectable()
class ChatGateway {}

@Public()
@Gateway()
@Injectable()
class CheckedGateway {}

@Module({ providers: [ChatGateway, { provide: 'settings', useValue: {} }] })
class ChatModule {}

@Module({ providers: [CheckedGateway, { provide: 'clock', useFactory: () => ({}) }] })
class CheckedModule {}

describe('refuseOpenGateways', () => {
  async function modulesOf(module: new () => object): Promise<ModulesContainer> {
    return (await Test.createTestingModule({ imports: [module] }).compile()).get(ModulesContainer);
  }

  it('refuses a gateway without @Public() and says what to do', async () => {
    const modules = await modulesOf(ChatModule);

    expect(() => refuseOpenGateways(modules)).toThrow(
      /^ChatGateway is a WebSocket gateway, .*@Public\(\)\.$/,
    );
  });

  it('accepts a gateway with @Public()', async () => {
    const modules = await modulesOf(CheckedModule);

    expect(() => refuseOpenGateways(modules)).not.toThrow();
  });
});
