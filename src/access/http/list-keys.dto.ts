import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { Int64Field } from '@animal-store/openapi';

export class ListKeysDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @PageCursor(100)
  cursor?: string;
}

export class RotateKeyDto {
  @Int64Field({
    minimum: 0n,
    optional: true,
    description:
      'How many seconds the old key still works, at most ten years; with 0 it is revoked. A day unless given.',
    example: 86_400,
  })
  graceSeconds?: bigint;
}
