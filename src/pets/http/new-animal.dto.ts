import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, Int64Field } from '@animal-store/openapi';
import { Follows } from '@animal-store/web';
import { PET_NAME, PET_STATUSES, type PetStatus, petNameProblem } from '../domain/pet.rules.js';

const IsPetName = () => Follows('isPetName', petNameProblem);

@ApiSchema({ name: 'NewAnimal', description: 'An animal to add. The service sets its id.' })
export class NewAnimalDto {
  @IsPetName()
  @ApiProperty({
    type: 'string',
    ...PET_NAME,
    description:
      '1 to 255 characters after trimming: any Unicode except control characters and lone surrogates. Stored as sent, without the surrounding blanks.',
    example: 'Rex',
  })
  name: string;

  @Int64Field({ description: 'The category the animal belongs to: any int64.', example: 7 })
  categoryId: bigint;

  @EnumField(PET_STATUSES, { name: 'PetStatus', optional: true, example: 'available' })
  status?: PetStatus;
}
