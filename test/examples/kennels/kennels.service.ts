import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Repository } from 'typeorm';
import { Database, InjectRepository, UniqueViolation } from '@animal-store/database';
import { CreateKennelDto } from './create-kennel.dto.js';
import { Kennel } from './kennel.entity.js';
import { ListKennelsDto } from './list-kennels.dto.js';

@Injectable()
export class KennelsService {
  constructor(
    @InjectRepository(Kennel) private readonly kennels: Repository<Kennel>,
    private readonly database: Database,
  ) {}

  findAll({ places }: ListKennelsDto): Promise<Kennel[]> {
    // TypeORM refuses undefined in a condition.
    return this.kennels.find({ where: places ? { places } : {}, order: { id: 'ASC' }, take: 100 });
  }

  async create(kennel: CreateKennelDto): Promise<Kennel> {
    try {
      return await this.kennels.save(this.kennels.create(kennel));
    } catch (error) {
      if (error instanceof UniqueViolation) throw new ConflictException(`${kennel.name} is there already.`);
      throw error;
    }
  }

  /** Two writes, both or none. */
  merge(id: number, into: number): Promise<Kennel> {
    return this.database.run(async (transaction) => {
      const kennels = this.database.entityManager(transaction).withRepository(this.kennels);
      const [from, to] = [await kennels.findOneBy({ id }), await kennels.findOneBy({ id: into })];
      if (!from || !to) throw new NotFoundException('There is no such kennel.');
      await kennels.remove(from);
      return kennels.save({ ...to, places: to.places + from.places });
    });
  }
}
