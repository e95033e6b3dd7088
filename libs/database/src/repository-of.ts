import { Injectable } from '@nestjs/common';
import type { Page, Transaction } from '@animal-store/kernel';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from './database.js';
import type { PageOf } from './statements/list-statement.js';
import { firstOf } from './statements/statement.js';
import type {
  ListArguments,
  ListOptions,
  NoArguments,
  RecordStatements,
} from './statements/record-statements.js';

export interface RepositoryOptions<R extends object, Item, Key, Change, List, More> {
  /** Makes an item from a row and nothing else, because equal rows may share their item. Default: the row. */
  readonly toItem?: (row: R) => Item;
  /** The columns by which one row is found; its id when left out. */
  readonly key?: readonly [Key, ...Key[]];
  /** The columns that `save` writes. */
  readonly changes?: readonly Change[];
  /** The filters and sorts of `list`. */
  readonly list?: List;
  /** Further conditions of `list`. */
  readonly where?: (builder: SelectQueryBuilder<R>, args: More) => SelectQueryBuilder<R>;
}

/**
 * A class to extend, with the rows of one record: a port with some of its methods has its adapter in it. Its statements
 * are prepared once.
 *
 * @param alias the name of a row in its statements
 */
export function RepositoryOf<
  R extends { id: bigint },
  Item extends object = R,
  const Key extends keyof R & string = 'id',
  const Change extends keyof R & string = never,
  const Equal extends keyof R & string = never,
  const Sort extends keyof R & string = 'id',
  More extends object = NoArguments,
  const Optional extends string = never,
  const Several extends Equal = never,
>(
  record: new () => R,
  alias: string,
  {
    toItem = (row) => row as unknown as Item,
    key = ['id' as Key],
    changes = [],
    list,
    where,
  }: RepositoryOptions<R, Item, Key, Change, ListOptions<Equal, Optional, Several, Sort>, More> = {},
) {
  @Injectable()
  class Rows {
    /** What builds further statements. */
    readonly statements: RecordStatements<R>;
    private readonly prepared;
    private readonly properties;

    constructor(private readonly database: Database) {
      const rows = (this.statements = database.statements(record, alias));
      this.properties = rows.properties;
      this.prepared = {
        insert: rows.insert(),
        find: rows.find({ equal: key }),
        findLocked: rows.find({ equal: key, lock: true }),
        update: changes.length > 0 ? rows.update<Change, 'id'>(changes, { equal: ['id'] }) : null,
        list: rows.list(toItem, list, where),
      };
    }

    /** Stores the row and gives it its id. It is found once `within` is committed; without it, when `add` resolves. */
    async add(row: Omit<R, 'id'>, within?: Transaction): Promise<Item> {
      const id = await this.prepared.insert.execute(row, within);
      // As if it was read: the ETag of a resource is that of its text, so it depends on the order of the fields.
      const stored = {} as R;
      for (const name of this.properties) stored[name] = (row as R)[name];
      stored.id = id;
      return toItem(stored);
    }

    /** The row, or null when there is none. In a transaction it is locked until that ends. */
    async findOneBy(one: Pick<R, Key>, within?: Transaction): Promise<Item | null> {
      const { find, findLocked } = this.prepared;
      const row = await (within ? findLocked.getOne(one, within) : find.getShared(one, firstOf<R>));
      return row && toItem(row);
    }

    /**
     * Stores what may change of a row that is locked.
     * @throws TypeError without `changes`
     */
    save(row: Pick<R, Change | 'id'>, transaction: Transaction): Promise<void> {
      const { update } = this.prepared;
      if (update !== null) return update.execute(row, transaction);
      return Promise.reject(
        new TypeError(`Nothing of ${record.name} may change: name columns in its \`changes\`.`),
      );
    }

    async remove(one: Pick<R, Key>, transaction: Transaction): Promise<void> {
      await this.database.entityManager(transaction).delete(record, one);
    }

    list(filters: ListArguments<R, Equal, Optional, Several, More>, page: PageOf<Sort>): Promise<Page<Item>> {
      return this.prepared.list.getPage(filters, page);
    }
  }
  return Rows;
}
