import { IsInt, IsString, Length, Max, Min } from 'class-validator';

export class CreateKennelDto {
  @IsString()
  @Length(1, 50)
  name: string;

  @IsInt()
  @Min(1)
  @Max(20)
  places: number;
}
