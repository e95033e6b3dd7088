import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, failure, unlessKnown } from './answer.js';
import type { Caller } from './api-keys.js';
import { isAnswer, jsonBody, listQuery, newAnimal, newOrder, onceFor, pathId } from './input.js';
import { store } from './reception.js';

/** `getPet` is deprecated (contract section 4.3), and says so on every answer. */
export const DEPRECATION = [
  'Deprecation',
  '@1764892800',
  'Sunset',
  'Thu, 05 Dec 2030 00:00:00 GMT',
  'Link',
  '</docs>; rel="deprecation", </docs>; rel="sunset", </v1/pets?status=available>; rel="successor-version"',
];
const SUNSET_MS = Date.UTC(2030, 11, 5);

export const ROUTE_NOT_FOUND = failure(404, 'route_not_found', 'The path does not exist.');

export function listPets(query: string, headers: IncomingHttpHeaders): Answer {
  const kept = store.keptPage(query);
  if (kept) return unlessKnown(kept, headers['if-none-match']);
  const parameters = listQuery(query);
  if (isAnswer(parameters)) return parameters;
  return unlessKnown(store.list(query, parameters), headers['if-none-match']);
}

export function getPet(petId: string, headers: IncomingHttpHeaders): Answer {
  if (Date.now() >= SUNSET_MS)
    return failure(410, 'operation_removed', 'This operation was removed on 2030-12-05.');
  const id = pathId(petId);
  const animal = id === null ? null : store.get(id);
  return animal
    ? unlessKnown(animal, headers['if-none-match'])
    : failure(404, 'pet_not_found', `No animal has id ${petId}.`);
}

export async function createPet(caller: Caller, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const parsed = jsonBody(body);
  if (typeof parsed === 'object' && parsed !== null && isAnswer(parsed)) return parsed;
  const animal = newAnimal(parsed);
  if (isAnswer(animal)) return animal;
  const once = onceFor(headers['idempotency-key'], caller.keyId, 'createPet', body);
  return once && isAnswer(once) ? once : store.add(animal, once);
}

export async function placeOrder(
  caller: Caller,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  const parsed = jsonBody(body);
  if (typeof parsed === 'object' && parsed !== null && isAnswer(parsed)) return parsed;
  const order = newOrder(parsed);
  if (isAnswer(order)) return order;
  const once = onceFor(headers['idempotency-key'], caller.keyId, 'placeOrder', body);
  return once && isAnswer(once) ? once : store.placeOrder(caller.account, order.petId, once);
}
