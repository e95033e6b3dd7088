/** Runs batch jobs in the service of this process when the parent says so, as if a team had added them. */
import { Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Database } from '@animal-store/database';
import { UnitOfWork } from '@animal-store/kernel';
import { AppModule } from '../../dist/src/app.module.js';

const INSERT = 'INSERT INTO imported (line) VALUES (?)';

class BatchJobsModule {
  constructor(modules) {
    const of = (token) => modules.get(token, { strict: false });
    process.on('message', (question) => {
      void runBatches(of, question).then((count) => process.send({ count }));
    });
  }
}
Module({})(BatchJobsModule);
Reflect.defineMetadata('design:paramtypes', [ModuleRef], BatchJobsModule);

const forRoot = AppModule.forRoot.bind(AppModule);
AppModule.forRoot = (parts) => {
  const root = forRoot(parts);
  return { ...root, imports: [BatchJobsModule, ...root.imports] };
};

/** Adds rows until the time has passed. @returns how many */
async function runBatches(of, { kind, rows, forMs }) {
  const database = of(Database);
  const unitOfWork = kind === 'background' ? database.background : of(UnitOfWork);
  const session = (transaction) => database.session(transaction);
  await database.run((transaction) =>
    session(transaction).query('CREATE TABLE IF NOT EXISTS imported (line TEXT NOT NULL)'),
  );
  const batch = async (transaction) => {
    for (let row = 0; row < rows; row++) await session(transaction).query(INSERT, [`line ${row}`]);
  };
  let count = 0;
  for (const endsMs = performance.now() + forMs; performance.now() < endsMs; count += rows)
    await unitOfWork.run(batch);
  return count;
}
