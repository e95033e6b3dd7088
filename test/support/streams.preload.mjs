/** Adds `GET /v1/streams`, a stream of events with a heartbeat, to the service of this process, as if a team had added it. */
import { Controller, Module, Sse } from '@nestjs/common';
import { interval, map, startWith } from 'rxjs';
import { HoldOpen } from '@animal-store/web';
import { AppModule } from '../../dist/src/app.module.js';

const HEARTBEAT_MS = Number(process.env.HEARTBEAT_MS ?? 15_000);

class StreamsController {
  events() {
    return interval(HEARTBEAT_MS).pipe(
      startWith('first'),
      map((data) => ({ data: String(data) })),
    );
  }
}
const { prototype } = StreamsController;
for (const decorate of [HoldOpen(), Sse()]) {
  decorate(prototype, 'events', Object.getOwnPropertyDescriptor(prototype, 'events'));
}
Controller('v1/streams')(StreamsController);

class StreamsModule {}
Module({ controllers: [StreamsController] })(StreamsModule);

const forRoot = AppModule.forRoot.bind(AppModule);
AppModule.forRoot = (parts) => {
  const root = forRoot(parts);
  // The last module handles the requests that no other module has a route for.
  return { ...root, imports: [...root.imports.slice(0, -1), StreamsModule, root.imports.at(-1)] };
};
