import { ApiProperty } from '@nestjs/swagger';
import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity({ name: 'kennels' })
export class Kennel {
  @PrimaryGeneratedColumn()
  @ApiProperty()
  id: number;

  @Index('kennels_name', { unique: true })
  @Column('text')
  @ApiProperty()
  name: string;

  @Column()
  @ApiProperty()
  places: number;

  @CreateDateColumn()
  @ApiProperty()
  builtAt: Date;
}
