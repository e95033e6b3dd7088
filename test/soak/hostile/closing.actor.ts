import { RawConnection, type RawResponse } from '@animal-store/web/testing';
import {
  closing as closingRequest,
  closingPipeline,
  upgradeDesync,
  withoutLength,
} from '../../support/hostile-requests.js';
import { type Actor, addition, bearer, closed, CutShort, expectStatus, PATIENCE_MS } from './actor.js';

/** An animal with this name was added by bytes that must not be served. */
export const SMUGGLED = 'Smuggled';

/** @throws Error unless there is one response, and it says that the connection closes */
function expectOneThatCloses(responses: readonly RawResponse[]): void {
  const [response, ...more] = responses;
  expectStatus(response, [200, 400, 401, 429]);
  if (more.length > 0) throw new Error(`${more.length} responses after one that closes the connection`);
  if (response!.headers['connection'] !== 'close')
    throw new Error('The response does not say that it closes');
}

export const closing: Actor = {
  name: 'closing',
  about: 'sends more requests, or a whole addition, after one whose response closes the connection',
  strands: 12,
  async act(target, random) {
    const smuggled = addition(target, SMUGGLED);
    const text = random.pick([
      closingPipeline(),
      closingPipeline(bearer(target)),
      closingRequest(smuggled),
      closingRequest(smuggled, bearer(target)),
      `GET /v1/pets HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n${smuggled}`,
      `GET /v1/pets HTTP/1.0\r\n\r\n${smuggled}`,
      withoutLength(target.key, smuggled),
    ]);
    const connection = await RawConnection.open(target.port);
    connection.send(text);
    if (random.chance(0.2)) {
      connection.reset();
      return;
    }
    const responses = await closed(connection, target.stalledMs + PATIENCE_MS);
    // What arrives after the close makes TCP reset the connection, which can lose the response.
    if (responses.length === 0) throw new CutShort('No response');
    expectOneThatCloses(responses);
  },
};

export const desync: Actor = {
  name: 'desync',
  about: 'requests another protocol followed by half an addition, whose body is an addition too',
  strands: 4,
  async act(target, random) {
    const [first, second] = upgradeDesync(target.key, addition(target, SMUGGLED));
    const connection = await RawConnection.open(target.port);
    connection.send(first);
    await new Promise((sent) => setTimeout(sent, random.between(0, 40)));
    connection.send(second);
    const responses = await closed(connection, target.stalledMs + PATIENCE_MS);
    if (responses.length > 0) expectOneThatCloses(responses);
  },
};
