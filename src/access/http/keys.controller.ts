import type { ServerResponse } from 'node:http';
import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { Caller, RequireScope } from '@animal-store/api-keys';
import { Operation, Tag } from '@animal-store/openapi';
import { ListDto, requestedList, showCreated, showPage } from '@animal-store/web';
import { FindKey } from '../application/find-key.use-case.js';
import { StoreKeyIssuer } from '../application/key-issuer.service.js';
import { ListOwnKeys } from '../application/list-own-keys.use-case.js';
import {
  ApiKeyNotFound,
  ExceedsOwnKey,
  InactiveApiKey,
  OwnKeyNeedsGrace,
} from '@animal-store/api-keys/issuing';
import { TooManyKeys } from '../domain/api-key.errors.js';
import type { KeyFacts } from '../key-facts.js';
import {
  IssuedKeyResponse,
  KeyResponse,
  NewKeyDto,
  RevokedKeyResponse,
  toIssuedKeyResponse,
  toKeyResponse,
  toRevokedKeyResponse,
  KEY_ID_PATTERN,
} from './key.response.js';
import { RevokeKeyDto, RotateKeyDto } from './key-action.dto.js';

const PATH = '/v1/keys';
const KEY_ID_SCHEMA = { type: 'string', minLength: 1, maxLength: 100, pattern: KEY_ID_PATTERN } as const;
const KEY_ID = {
  keyId: { description: 'The id of the key.', schema: { ...KEY_ID_SCHEMA, example: 'key_0123456789abcdef' } },
};
const DAY_SECONDS = 86_400;

/** All work on the keys of the caller's account. None takes an Idempotency-Key, which would store a secret. */
@Tag('Account', 'The keys of your account, and what it has used.')
@Controller({ path: 'keys', version: '1' })
@RequireScope('keys:manage')
export class KeysController {
  constructor(
    private readonly list: ListOwnKeys,
    private readonly find: FindKey,
    private readonly issuer: StoreKeyIssuer,
  ) {}

  @Get()
  @Operation({
    summary: 'List keys',
    description:
      'The active keys of your account, in the order of their ids. The `Link` header has the URL of the next page.',
    response: { page: KeyResponse },
  })
  async listKeys(
    @Caller() { account }: KeyFacts,
    @Query() query: ListDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly KeyResponse[]> {
    const list = requestedList(PATH, query, 'text');
    return showPage(response, await this.list.execute(account, list.page), list, toKeyResponse);
  }

  @Post()
  @Operation({
    summary: 'Make a key',
    description:
      'A key of your account, with at most the plan, the scopes and the expiry of the key that makes it. Its text is in this response and nowhere else; the request accepts no `Idempotency-Key`.',
    response: { created: IssuedKeyResponse },
    example: { createdBy: 'key_fedcba9876543210', expiresAt: '2027-03-14T12:00:00.000Z' },
    errors: [ExceedsOwnKey, InactiveApiKey, TooManyKeys],
  })
  async createKey(
    @Caller() actor: Caller<KeyFacts>,
    @Body() { expiresAt, ...wanted }: NewKeyDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<IssuedKeyResponse> {
    const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    const issued = await this.issuer.issue({ ...wanted, expiresAtMs }, { actor });
    return showCreated(response, PATH, toIssuedKeyResponse(issued));
  }

  @Get(':keyId')
  @Operation({
    summary: 'Get a key',
    description: 'One of the keys of your account, also one that is revoked or expired.',
    response: { item: KeyResponse },
    path: KEY_ID,
    errors: [ApiKeyNotFound],
  })
  async getKey(@Caller() { account }: KeyFacts, @Param('keyId') keyId: string): Promise<KeyResponse> {
    return toKeyResponse(await this.find.execute({ id: keyId, account }));
  }

  @Post(':keyId/rotate')
  @Operation({
    summary: 'Rotate a key',
    description:
      'Makes a key with the same name, plan, scopes and expiry; the old one still works until the grace period ends. Your own key may be rotated, too.',
    response: { created: IssuedKeyResponse },
    example: { id: 'key_fedcba9876543210', createdBy: 'key_0123456789abcdef' },
    path: KEY_ID,
    errors: [ApiKeyNotFound, ExceedsOwnKey, InactiveApiKey, OwnKeyNeedsGrace, TooManyKeys],
  })
  async rotateKey(
    @Caller() actor: Caller<KeyFacts>,
    @Param('keyId') keyId: string,
    @Query() { graceSeconds = DAY_SECONDS }: RotateKeyDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<IssuedKeyResponse> {
    const issued = await this.issuer.rotate(keyId, graceSeconds * 1_000, { actor });
    return showCreated(response, PATH, toIssuedKeyResponse(issued));
  }

  @Delete(':keyId')
  @Operation({
    summary: 'Revoke a key',
    description:
      'The key stops working within 5 seconds, for ever. It may be repeated. Your own key may be revoked, too. Keys that it has made stay as they are, unless `descendants=true`, which spares your own.',
    response: { changed: RevokedKeyResponse },
    example: { revokedAt: '2026-03-14T12:30:00.000Z' },
    path: KEY_ID,
    errors: [ApiKeyNotFound, ExceedsOwnKey, InactiveApiKey],
  })
  async revokeKey(
    @Caller() actor: Caller<KeyFacts>,
    @Param('keyId') keyId: string,
    @Query() { descendants }: RevokeKeyDto,
  ): Promise<RevokedKeyResponse> {
    const withDescendants = descendants === 'true';
    return toRevokedKeyResponse(await this.issuer.revoke(keyId, { actor, withDescendants }));
  }
}
