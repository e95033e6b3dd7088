// A store to try: thirty animals, three keys, and requests to send. Ctrl-C deletes it.
import { ThrowawayStore } from './throwaway-store.mjs';

const NAMES =
  'Ada Bruno Cleo Dora Enzo Fia Gus Hilda Igor Juno Kiki Leo Mia Nero Otto Pip Quinn Rex Suki Tom ' +
  'Uma Vito Wanda Xena Yara Zoe Łucja Ñandú Ørsted 柴犬';
const STATUSES = ['available', 'available', 'pending', 'sold'];
const FIRST_PORT = 3000;

const store = new ThrowawayStore({
  PORT: process.env.PORT ?? String(FIRST_PORT),
  // Low, so that a person can cause a ban.
  BAN_MIN_REFUSALS: '5',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void store.stop());

try {
  const free = await store.keys('create', '--name', 'Explorer', '--plan', 'free');
  const pro = await store.keys('create', '--name', 'Shop', '--plan', 'pro');
  const tiny = await store.keys(
    ...['create', '--name', 'Tiny', '--plan', 'enterprise', '--per-minute', '3', '--per-day', '1000'],
  );
  const url = await store.start();
  for (const [index, name] of NAMES.split(' ').entries()) await addAnimal(url, pro.key, name, index);
  process.stdout.write(guide(url, free, pro, tiny));
  await store.ended();
} catch (error) {
  const hint = error.message.includes(' is in use ')
    ? 'The demo can take any port: PORT=0 npm run demo\n'
    : '';
  process.stderr.write(`${error.message.trim()}\n${hint}`);
  process.exitCode = 1;
}

async function addAnimal(url, key, name, index) {
  const response = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, categoryId: (index % 5) + 1, status: STATUSES[index % STATUSES.length] }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function guide(url, free, pro, tiny) {
  return `
A store with thirty animals is open at ${url}, until you press Ctrl-C.

  Explore it in the browser:  ${url}/docs  (Authorize with one of the keys)

Three keys:

  Free   60 a minute   ${free.key}
  Pro    300 a minute  ${pro.key}  (it added the animals)
  Tiny   3 a minute    ${tiny.key}

Try them:

  export KEY=${free.key}

  # A page of animals. The headers show the remaining requests and the URL of the next page.
  curl -i -H "Authorization: Bearer $KEY" '${url}/v1/pets?limit=5&status=available'

  # Add an animal. Repeated with the same Idempotency-Key, it returns the same response and adds nothing.
  curl -i -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'Idempotency-Key: first' \\
    -d '{"name":"Bello","categoryId":9223372036854775807}' ${url}/v1/pets

  # Order it. A second order for it gets 409: it is not available any more.
  curl -i -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"petId":31}' ${url}/v1/store/orders

  # A deprecated operation. Its headers say when it will be removed.
  curl -i -H "Authorization: Bearer $KEY" ${url}/v1/pets/31

  # Errors: no key, a bad value.
  curl -i ${url}/v1/pets
  curl -i -H "Authorization: Bearer $KEY" '${url}/v1/pets?limit=0'

  # Over the limit with the tiny key: three 200, then 429. Continuing leads to a temporary ban. See it, and lift it.
  for i in $(seq 9); do curl -s -o /dev/null -w '%{http_code} ' -H 'Authorization: Bearer ${tiny.key}' ${url}/v1/pets; done; echo
  curl -i -H 'Authorization: Bearer ${tiny.key}' ${url}/v1/pets
  DATABASE_URL=${store.databaseUrl} npm run --silent keys -- show ${tiny.id}
  DATABASE_URL=${store.databaseUrl} npm run --silent keys -- unban ${tiny.id}

`;
}
