import fc from 'fast-check';
import { requestsOfContexts } from '../e2e/requests/context-requests.js';
import { TestApp } from '../support/test-app.js';
import { problemsOf as problemsOfResponse } from './response-check.js';
import { type Operation, readApi } from './api-document.js';
import { curlLine } from './curl-line.js';
import { type FuzzKeys, type FuzzRequest, fuzzRequest, refusedRequests } from './fuzz-request.js';
import { Wire, type WireResponse } from './wire.js';

// `npm run dev -- fuzz --runs N --seed S` sets them.
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_301_205);
const IS_LONG = process.env['FUZZ_RUNS'] !== undefined;
const PROGRESS_EVERY = 1_000;
const PATIENCE_A_RUN_MS = 50;

const PLENTY = '1000000000';

describe(`Whatever is sent to an operation, the response is as documented (seed ${SEED})`, () => {
  let store: TestApp;
  let wire: Wire;
  let operations: Operation[];
  let keys: FuzzKeys;
  /** The operations with a rule that the document cannot say. */
  const ruled = new Set(
    requestsOfContexts().flatMap(([, context]) =>
      Object.entries(context.operations).flatMap(([id, { jointRule }]) => (jointRule ? [id] : [])),
    ),
  );
  /** The operations that respond when the plan is used up. */
  const apart = new Set(
    requestsOfContexts().flatMap(([, { operations: all }]) =>
      Object.keys(all).filter((id) => all[id]!.apart),
    ),
  );
  /** The statuses that each operation has responded with. */
  const statuses = new Map<string, Set<number>>();

  beforeAll(async () => {
    store = await TestApp.start({
      LOG_LEVEL: 'error',
      FREE_PER_MINUTE: PLENTY,
      BUSINESS_PER_MINUTE: PLENTY,
      BUSINESS_PER_DAY: PLENTY,
      PRO_PER_MINUTE: '1',
    });
    wire = new Wire(store.port);
    operations = readApi((await store.send('GET', '/openapi.json', null)).text);
    keys = {
      unlimited: await store.key('business'),
      exhausted: await store.key('pro'),
      narrow: {
        'pets:read': await store.key('business', 'zoo', ['pets:read']),
        'orders:read': await store.key('business', 'zoo', ['orders:read']),
        'keys:manage': await store.key('business', 'zoo', ['keys:manage']),
      },
    };
    await store.send('GET', '/v1/pets', keys.exhausted).expect(200);
    // Requests with small ids find these animals.
    for (let added = 0; added < 20; added++) {
      await store.send('POST', '/v1/pets', keys.unlimited).send({ name: 'Rex', categoryId: 7 }).expect(201);
    }
  });

  afterAll(async () => {
    wire.close();
    await store.stop();
  });

  async function problemsOf(generated: FuzzRequest): Promise<string[]> {
    const { expectation, operation } = generated;
    const mayRefuse = expectation === 'accepted' && ruled.has(operation.id);
    // The key whose plan is used up may call these.
    const mayAccept = expectation === 'refused' && apart.has(operation.id);
    const request: FuzzRequest = mayRefuse || mayAccept ? { ...generated, expectation: 'either' } : generated;
    const response = await wire.send(request);
    const seen = statuses.get(request.operation.id) ?? new Set();
    statuses.set(request.operation.id, seen.add(response.status));
    const problems = problemsOfResponse(request, response);
    const next = nextPage(response);
    if (next === undefined || problems.length > 0) return problems;
    return problemsOf({ ...request, path: next, method: 'GET', headers: bearer(), expectation: 'accepted' });
  }

  function bearer(): [string, string][] {
    return [['Authorization', `Bearer ${keys.unlimited}`]];
  }

  function nextPage({ status, headers }: WireResponse): string | undefined {
    const [, target] = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '') ?? [];
    return status === 200 ? target : undefined;
  }

  it(
    `${RUNS} requests to each operation`,
    async () => {
      expect(operations.length).toBeGreaterThan(7);
      let sent = 0;
      for (const operation of operations) {
        let latest: FuzzRequest | undefined;
        const property = fc.asyncProperty(fuzzRequest(operation, keys), async (request) => {
          if (IS_LONG && ++sent % PROGRESS_EVERY === 0) {
            process.stderr.write(`${sent} of ${RUNS * operations.length} requests, now ${operation.id}\n`);
          }
          const problems = await problemsOf(request).catch((error: unknown) => [String(error)]);
          if (problems.length === 0) return;
          latest = request;
          throw new Error(problems.join('\n'));
        });
        const examples = refusedRequests(operation, keys).map((request): [FuzzRequest] => [request]);
        const { failed, errorInstance } = await fc.check(property, { seed: SEED, numRuns: RUNS, examples });
        if (failed) {
          // fast-check shrinks a failing request, so the last failing one is the smallest.
          const again = curlLine(store.port, latest!);
          throw new Error(`${operation.id}, seed ${SEED}: ${(errorInstance as Error).message}\n${again}`);
        }
      }
      expect(store.logLines).toEqual([]);
      for (const { id, path, scopes, responses } of operations) {
        // What a path names may not exist, or not be in the state that the operation needs.
        const isReached = responses.has(201) && !path.includes('{') && !ruled.has(id);
        const seen = statuses.get(id)!;
        // Without a scope of its own an operation refuses only what it has read and found valid.
        const refusals = [400, 401, ...(apart.has(id) ? [] : [429]), ...(scopes.length > 0 ? [403] : [])];
        const missing = (isReached ? [201, ...refusals] : refusals).filter((status) => !seen.has(status));
        if (missing.length === 0) continue;
        const cure = missing.includes(201) ? ' Say the rule that refuses each as its `jointRule`.' : '';
        throw new Error(`${id} responded with ${[...seen].join(', ')}, never ${missing.join(', ')}.${cure}`);
      }
    },
    180_000 + RUNS * 8 * PATIENCE_A_RUN_MS,
  );
});
