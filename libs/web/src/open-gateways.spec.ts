import { Injectable, type Provider } from '@nestjs/common';
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

describe('refuseOpenGateways', () => {
  async function start(...providers: Provider[]): Promise<void> {
    const app = await Test.createTestingModule({ providers }).compile();
    refuseOpenGateways(app.get(ModulesContainer));
  }

  it('refuses a gateway without @Public() and says what to do', async () => {
    await expect(start(ChatGateway, { provide: 'settings', useValue: {} })).rejects.toThrow(
      /^ChatGateway is a WebSocket gateway, .*@Public\(\)\.$/,
    );
  });

  it('accepts a gateway with @Public()', () =>
    start(CheckedGateway, { provide: 'clock', useFactory: () => ({}) }));
});
