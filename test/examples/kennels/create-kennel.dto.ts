import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Length, Max, Min } from 'class-validator';

export class CreateKennelDto {
  @IsString()
  @Length(1, 50)
  @ApiProperty({ example: 'North' })
  name: string;

  @IsInt()
  @Min(1)
  @Max(20)
  @ApiProperty({ example: 4 })
  places: number;
}
