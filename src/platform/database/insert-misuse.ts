/** The error of a unit of work that is more, or less, than one insert. */
export function misuse(what: string): TypeError {
  return new TypeError(
    `A unit of work that UnitOfWork.insert() runs is one InsertStatement, but this one ${what}. Use run() instead.`,
  );
}
