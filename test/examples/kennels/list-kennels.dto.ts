import { Type } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';

export class ListKennelsDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  places?: number;
}
