import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import { Public } from '@animal-store/api-keys';

/** What `@WebSocketGateway()` of @nestjs/websockets, which this service does not install, sets on a class. */
const IS_GATEWAY = 'websockets:is_gateway';

/**
 * Nest calls global guards for requests, but not for the messages of WebSocket gateways. So a gateway is open to
 * callers without a key, and nothing that it does is counted.
 *
 * @throws Error when a module provides a gateway without `@Public()`
 */
export function refuseOpenGateways(modules: ModulesContainer): void {
  for (const { providers } of modules.values()) {
    for (const { metatype } of providers.values()) {
      if (!metatype || !Reflect.hasMetadata(IS_GATEWAY, metatype)) continue;
      if (Reflect.hasMetadata(Public.KEY, metatype)) continue;
      throw new Error(
        `${metatype.name} is a WebSocket gateway, and no global guard protects its messages: check the key and count the ` +
          'request in its handleConnection(), close the connection of everybody else, and then mark the class @Public().',
      );
    }
  }
}
