import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ApiInt64 } from '../../platform/http/int64.schema.js';
import { IsInt64, FollowsRule, OptionalField } from '../../platform/http/validation.js';
import { petNameProblem } from '../domain/pet-name.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';
import { petNameSchema } from './pet-name.schema.js';

@ApiSchema({ name: 'NewAnimal', description: 'An animal to add. The service sets its id.' })
export class NewAnimalDto {
  @FollowsRule(petNameProblem)
  @ApiProperty({
    ...petNameSchema,
    description:
      '1 to 255 characters after trimming: any Unicode except control characters and lone surrogates. Stored as sent, without the surrounding blanks.',
  })
  name: string;

  @IsInt64()
  @ApiInt64({ description: 'The category the animal belongs to: any int64.', example: 7 })
  categoryId: bigint;

  @OptionalField()
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  @ApiProperty({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    required: false,
    default: 'available',
    example: 'available',
  })
  status?: PetStatus;
}
