import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
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

export class RevokeKeyDto {
  @ApiProperty({
    type: 'boolean',
    required: false,
    description: 'Whether the keys that it has made, directly or by one of those, are revoked with it.',
    example: true,
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  descendants?: 'true' | 'false';
}
