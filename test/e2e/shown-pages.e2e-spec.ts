import type { ServerResponse } from 'node:http';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  type NestInterceptor,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { map } from 'rxjs';
import { requestedList, showPage } from '@animal-store/web';
import { ListPets } from '../../src/pets/application/list-pets.use-case.js';
import type { Pet } from '../../src/pets/domain/pet.js';
import { PetsModule } from '../../src/pets/pets.module.js';
import { toAnimal } from '../../src/pets/http/animal.response.js';
import { ListPetsDto } from '../../src/pets/http/list-pets.dto.js';
import { TestApp } from '../support/test-app.js';

class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

const toName = ({ name }: Pet) => ({ name });

/** Shows the pages of `GET /v1/pets` differently. */
@Controller('v1/shown')
class ShownController {
  constructor(private readonly list: ListPets) {}

  @Get('names')
  async names(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    const list = requestedList('/v1/shown/names', query);
    return showPage(response, await this.list.execute(list.page), list, toName);
  }

  @Get('again')
  async again(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    const list = requestedList('/v1/shown/again', query);
    return showPage(response, await this.list.execute(list.page), list, toAnimal);
  }

  @Get('enveloped')
  @UseInterceptors(EnvelopeInterceptor)
  enveloped(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    return this.again(query, response);
  }
}

@Module({ imports: [PetsModule], controllers: [ShownController] })
class ShownModule {}

describe('A cached page that several operations show', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(ShownModule);
    key = await store.key();
    for (const name of ['Rex', 'Mia']) {
      await store.send('POST', '/v1/pets', key).send({ name, categoryId: 7 }).expect(201);
    }
  });

  afterAll(() => store.stop());

  const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

  it.each<[string, unknown]>([
    ['/v1/pets', [rex]],
    ['/v1/shown/names', [{ name: 'Rex' }]],
    ['/v1/shown/again', [rex]],
    ['/v1/shown/enveloped', { data: [rex] }],
  ])('has the items and the next page of the operation that shows it: %s', async (path, expected) => {
    for (const other of ['/v1/pets', '/v1/shown/names', '/v1/shown/again', path, path]) {
      await store.send('GET', `${other}?limit=1`, key).expect(200);
    }
    const { body, headers } = await store.send('GET', `${path}?limit=1`, key);

    expect(body).toEqual(expected);
    const list = path.replace('enveloped', 'again');
    expect(headers['link']).toMatch(new RegExp(`^<${list}\\?limit=1&cursor=[\\w-]+>; rel="next"$`));
  });

  it('has a tag for each way in which it is shown', async () => {
    const tagOf = async (path: string) => (await store.send('GET', `${path}?limit=1`, key)).headers['etag']!;

    expect(await tagOf('/v1/shown/again')).toBe(await tagOf('/v1/pets'));
    expect(new Set([await tagOf('/v1/pets'), await tagOf('/v1/shown/names')]).size).toBe(2);
  });
});
