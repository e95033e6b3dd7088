import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';

/** Ten years. */
const MAX_GRACE_SECONDS = 3_650 * 86_400;

export class RotateKeyDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    required: false,
    description: 'How many seconds the old key still works; with 0 it is revoked. A day unless given.',
    example: 86_400,
  })
  @IsOptional()
  // Number() reads more than whole numbers, and nothing as 0.
  @Transform(({ value }) => (/^-?\d{1,9}$/.test(value as string) ? Number(value) : (value as unknown)))
  @IsInt()
  @Min(0)
  @Max(MAX_GRACE_SECONDS)
  graceSeconds?: number;
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
