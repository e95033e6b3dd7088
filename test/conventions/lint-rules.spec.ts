import { spawnSync } from 'node:child_process';

type Planted = [file: string, code: string, rule: string | null];

const DTO_RULE = 'local/dto-parameters';
const FIELD_RULE = 'local/dto-fields';

const PLANTED: Planted[] = [
  ['src/boats/application/boat.ts', 'export const port = process.env.PORT;', 'no-restricted-properties'],
  ['libs/boats/src/boat.ts', 'const { env } = process; export { env };', 'no-restricted-properties'],
  ['src/boats/boat.ts', "import { env } from 'node:process'; env;", 'no-restricted-syntax'],
  ['src/platform/config/boat.ts', 'export const port = process.env.PORT;', null],
  ['test/boat.ts', 'export const port = process.env.PORT;', null],
  ['src/boats/domain/boat.ts', 'export const now = Date.now();', 'no-restricted-syntax'],
  ['libs/boats/src/boat.ts', 'export const now = new Date();', 'no-restricted-syntax'],
  ['src/boats/domain/boat.ts', 'export const day = (ms: number) => new Date(ms);', null],
  ['libs/kernel/src/clock.ts', 'export const now = Date.now();', null],
  ['src/boats/boat.ts', "export { Boat } from './ship.js';", 'no-restricted-syntax'],
  [
    'src/boats/application/get-boat.use-case.ts',
    "import { BoatRepository } from '../domain/boat.repository.js'; export { BoatRepository };",
    'no-restricted-syntax',
  ],
  [
    'src/boats/application/get-boat.use-case.ts',
    "import { BoatRepository } from '../domain/boat.repository.js'; export const Boats = BoatRepository;",
    'no-restricted-syntax',
  ],
  [
    'src/boats/application/get-boat.use-case.ts',
    "import type { Boat } from '../domain/boat.js'; export type Ship = Boat;",
    'no-restricted-syntax',
  ],
  ['libs/boats/src/index.ts', "export { Boat } from './boat.js';", null],
  ['libs/boats/src/index.ts', "export * from './boat.js';", 'no-restricted-syntax'],
  [
    'src/platform/boats/infrastructure/boat.record.ts',
    "import { Boat } from './boat.js'; export { Boat };",
    'no-restricted-syntax',
  ],
  ['src/platform/http/resource-responses.ts', "import { Boat } from './boat.js'; export { Boat };", null],
  [
    'src/boats/http/boats.controller.ts',
    "import type { NewBoat } from './new-boat.dto.js';",
    'no-restricted-syntax',
  ],
  [
    'src/boats/http/boats.controller.ts',
    "import { type NewBoat } from './new-boat.dto.js';",
    'no-restricted-syntax',
  ],
  ['src/boats/http/boats.controller.ts', "import { NewBoat } from './new-boat.dto.js'; new NewBoat();", null],
  ['src/boats/http/boat-details.mapper.ts', "import type { NewBoat } from './new-boat.dto.js';", null],
  [
    'src/boats/http/boats.controller.ts',
    'export function get(a: boolean) { if (a) throw a; }',
    'no-restricted-syntax',
  ],
  [
    'src/boats/application/get-boat.use-case.ts',
    "import { NotFoundException } from '@nestjs/common'; new NotFoundException();",
    'no-restricted-imports',
  ],
  [
    'src/boats/http/boat.pipe.ts',
    "import { NotFoundException } from '@nestjs/common'; new NotFoundException();",
    null,
  ],
  [
    'src/boats/http/change-boat.dto.ts',
    'export class ChangeBoatDto extends PartialType(NewBoatDto) {}',
    'no-restricted-syntax',
  ],
  [
    'src/boats/http/change-boat.dto.ts',
    'export class ChangeBoatDto extends PartialType(NewBoatDto, { skipNullProperties: false }) {}',
    null,
  ],
  ['src/boats/boat.ts', "console.log('afloat');", 'no-console'],
  controller('@Body() boat: NewBoatDto', null),
  controller('@Body() boat: unknown', null),
  controller('@Query() query: Record<string, unknown>', null),
  controller("@Query('size') size: string", null),
  controller("@Query('status', new ParseEnumPipe(STATUSES)) status: BoatStatus", null),
  controller("@Param('boatId', new IdPipe(BoatNotFound)) boatId: bigint", null),
  controller('@Body(new ParseArrayPipe({ items: String })) names: string[]', null),
  controller(
    '@Body(new ParseArrayPipe({ items: NewBoatDto, whitelist: true, forbidNonWhitelisted: true })) boats: NewBoatDto[]',
    null,
  ),
  controller('@Body(new ParseArrayPipe({ items: NewBoatDto })) boats: NewBoatDto[]', 'no-restricted-syntax'),
  controller('@Body() boat', DTO_RULE),
  controller('@Query() { size }', DTO_RULE),
  controller('@Body() boat: { name: string }', DTO_RULE),
  controller('@Body() boats: NewBoatDto[]', DTO_RULE),
  controller('@Body() boat: Partial<NewBoatDto>', DTO_RULE),
  controller('@Body() boat: NewBoatDto | null', DTO_RULE),
  controller('@Body() boat: BoatFields', DTO_RULE),
  controller("@Query('status') status: BoatStatus", DTO_RULE),
  controller('@Body() boat: ImportedBoat', DTO_RULE),
  controller("@Param('boatId') boatId: bigint", DTO_RULE),
  dto('@IsString() name: string;', null),
  dto('@IsOptional() @IsString() name?: string | null;', null),
  dto('@IsInt64({ each: true }) ids: readonly bigint[];', null),
  dto('@PageLimit() limit: number = DEFAULT_LIMIT;', null),
  dto("@IsIn(['afloat', 'ashore']) status: BoatStatus;", null),
  dto('@IsIn(STATUSES) status?: ImportedBoat;', null),
  dto('@ValidateNested() @Type(() => NewBoatDto) boat: NewBoatDto;', null),
  dto('@ValidateNested({ each: true }) @Type(() => NewBoatDto) boats: NewBoatDto[];', null),
  dto('@Allow() anything: unknown;', null),
  dto("static readonly example = 'Nina';", null),
  dto('@IsString() name;', FIELD_RULE),
  dto('@PageLimit() limit = DEFAULT_LIMIT;', FIELD_RULE),
  dto('name: string;', FIELD_RULE),
  dto('@ApiProperty() name: string;', FIELD_RULE),
  dto('@IsOptional() @Type(() => NewBoatDto) boat?: NewBoatDto;', FIELD_RULE),
  dto('@IsObject() boat: BoatFields;', FIELD_RULE),
  dto('@IsObject() boat: { name: string };', FIELD_RULE),
  dto('@IsArray() boats: BoatFields[];', FIELD_RULE),
  dto('@IsArray() boats: Array<BoatFields>;', FIELD_RULE),
  dto('@IsString() status: BoatStatus;', FIELD_RULE),
  dto("@IsString() status: 'afloat' | 'ashore';", FIELD_RULE),
  dto('@OptionalField() @IsNotEmpty() size?: string | number;', FIELD_RULE),
  dto('@IsString() status: ImportedBoat;', FIELD_RULE),
];

/** A controller whose handler has this parameter, with the declarations and imports that the parameter may need. */
function controller(parameter: string, rule: string | null): Planted {
  const code = `${declared()}
    export class BoatsController { add(${parameter}) {} }`;
  return ['src/boats/http/boats.controller.ts', code, rule];
}

/** A DTO with this field. */
function dto(field: string, rule: string | null): Planted {
  const code = `${declared()}
    export class MoveBoatDto { ${field} }`;
  return ['src/boats/http/move-boat.dto.ts', code, rule];
}

function declared(): string {
  return `
    import type { ImportedBoat } from './boat.js';
    import { NewBoatDto } from './new-boat.dto.js';
    interface BoatFields { name: string }
    type BoatStatus = 'afloat' | 'ashore';`;
}

/** ESLint and its configuration are ES modules, which Jest cannot load on Node 20. Rules that need types are off. */
const LINT = `
  import { ESLint } from 'eslint';
  import tseslint from 'typescript-eslint';
  import { text } from 'node:stream/consumers';
  const eslint = new ESLint({
    overrideConfig: [tseslint.configs.disableTypeChecked, { rules: { '@typescript-eslint/no-unused-expressions': 'off', '@typescript-eslint/no-unused-vars': 'off' } }],
  });
  const found = [];
  for (const [filePath, code] of JSON.parse(await text(process.stdin))) {
    const [{ messages }] = await eslint.lintText(code, { filePath });
    found.push(messages.map(({ ruleId, message }) => ruleId ?? message));
  }
  console.log(JSON.stringify(found));
`;

describe('lint rules of this project', () => {
  let found: string[][];

  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LINT], {
      input: JSON.stringify(PLANTED),
      encoding: 'utf8',
      // In CI typescript-eslint creates one program for all files, and fails for these, which exist only in memory.
      env: { ...process.env, TSESTREE_SINGLE_RUN: 'false' },
    });
    if (stdout === '') throw new Error(stderr);
    found = JSON.parse(stdout) as string[][];
  });

  const cases = PLANTED.map(([file, code, rule], index) => ({
    verdict: rule === null ? 'allow' : 'refuse',
    file,
    code,
    expected: rule === null ? [] : [rule],
    index,
  }));

  it.each(cases)('$verdict in $file: $code', ({ expected, index }) => {
    expect(found[index]).toEqual(expected);
  });
});
